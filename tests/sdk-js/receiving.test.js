import assert from "node:assert/strict";
import { bodies, localTest, patience, receiveMany, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

test("an empty queue gives nothing when the wait is over", async () => {
  const queue = await context.queue();
  const started = Date.now();

  assert.deepEqual(await queue.receiver().receiveMessages(10, { maxWaitTimeInMs: 500 }), []);

  assert.ok(Date.now() - started >= 490);
});

test("a waiting receiver gets a message as it arrives", async () => {
  const queue = await context.queue();
  const waiting = receiveOne(queue.receiver());
  await queue.sender.sendMessages({ body: "here" });

  assert.equal((await waiting).body, "here");
});

localTest("no more messages are handed out than were asked for", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 10 }, (_, i) => ({ body: i })));
  const receiver = queue.receiver();

  const received = await receiveMany(receiver, 4);

  assert.deepEqual(bodies(received), [0, 1, 2, 3]);
  await eventually(async () => {
    const { locked, active, outgoing } = await queue.counters();
    assert.deepEqual([locked, active, outgoing], [4, 6, 4]);
  });
});

localTest("a client that asks for more than its session has room for holds no more than it got", async () => {
  const messages = 3000;
  const queue = await context.queue();
  for (let i = 0; i < messages; i += 1000) {
    await queue.sender.sendMessages(Array.from({ length: 1000 }, (_, j) => ({ body: i + j })));
  }
  const receiver = queue.receiver();
  const received = [];
  while (received.length < messages) {
    const some = await receiver.receiveMessages(messages - received.length, patience);
    assert.ok(some.length > 0, `${received.length} of ${messages} came`);
    assert.equal((await queue.counters()).locked, some.length);
    await Promise.all(some.map((message) => receiver.completeMessage(message)));
    received.push(...some);
  }

  assert.deepEqual(bodies(received), Array.from({ length: messages }, (_, i) => i));
  assert.ok(received.every((message) => message.deliveryCount === 0));
});

test("credit that was not used is given back: a message goes to who asks next", async () => {
  const queue = await context.queue();
  const first = queue.receiver();
  await queue.sender.sendMessages({ body: "one" });
  // Asks for ten, gets one, and takes back the rest.
  assert.equal((await first.receiveMessages(10, patience)).length, 1);
  await queue.sender.sendMessages({ body: "two" });

  assert.equal((await receiveOne(queue.receiver())).body, "two");
});

localTest("receive and delete leaves nothing behind", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "a" }, { body: "b" }]);
  const receiver = queue.receiver({ receiveMode: "receiveAndDelete" });

  const received = await receiveMany(receiver, 2);

  assert.deepEqual(bodies(received), ["a", "b"]);
  assert.equal(received[0].lockToken, undefined);
  await eventually(async () => {
    const counters = await queue.counters();
    assert.equal(counters.completed, 2);
    assert.equal(counters.active + counters.locked, 0);
  });
});

localTest("peeking shows messages in every state and locks none", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "active" }, { body: "deferred" }, { body: "locked" }]);
  await queue.sender.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 3_600_000));
  const receiver = queue.receiver();
  const received = await receiveMany(receiver, 3);
  await receiver.abandonMessage(received[0]);
  await receiver.deferMessage(received[1]);

  const peeked = await receiver.peekMessages(10);

  assert.deepEqual(bodies(peeked), ["active", "deferred", "locked", "scheduled"]);
  assert.deepEqual(peeked.map((message) => message.state), ["active", "deferred", "active", "scheduled"]);
  assert.equal(peeked[0].deliveryCount, 1);
  assert.equal(peeked[0].lockToken, undefined);
  const counters = await queue.counters();
  assert.deepEqual([counters.active, counters.deferred, counters.locked, counters.scheduled], [1, 1, 1, 1]);
});

test("peeking goes on where it stopped, or from where it is told", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 6 }, (_, i) => ({ body: i })));
  const receiver = queue.receiver();

  assert.deepEqual(bodies(await receiver.peekMessages(2)), [0, 1]);
  assert.deepEqual(bodies(await receiver.peekMessages(2)), [2, 3]);
  const [third] = await queue.receiver().peekMessages(1, { fromSequenceNumber: (await receiver.peekMessages(1))[0].sequenceNumber.sub(2) });
  assert.equal(third.body, 2);
  assert.deepEqual(await queue.receiver().peekMessages(1, { fromSequenceNumber: third.sequenceNumber.add(100) }), []);
});

test("a receiver of a queue that is not there is refused", async () => {
  const receiver = context.client.createReceiver("no-such-queue");

  await assert.rejects(receiver.receiveMessages(1, patience), { code: "MessagingEntityNotFound" });
});

localTest("a message whose time to live is over is dropped", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "short", timeToLive: 200 });

  await eventually(async () => assert.equal((await queue.counters()).expired, 1));
  assert.deepEqual(await queue.receiver().peekMessages(1), []);
});

test("a message whose time to live is over goes to the dead letters when the queue says so", async () => {
  const queue = await context.queue({ DeadLetteringOnMessageExpiration: true });
  await queue.sender.sendMessages({ body: "short", timeToLive: 200 });

  const dead = await receiveOne(queue.deadLetters());

  assert.equal(dead.body, "short");
  assert.equal(dead.deadLetterReason, "TTLExpiredException");
});

test("dead letters can be peeked at", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  const receiver = queue.receiver();
  for (const message of await receiveMany(receiver, 2))
    await receiver.deadLetterMessage(message, { deadLetterReason: `reason ${message.body}` });

  const peeked = await queue.deadLetters().peekMessages(10);
  assert.deepEqual(peeked.map((message) => [message.body, message.deadLetterReason]), [[1, "reason 1"], [2, "reason 2"]]);
  assert.deepEqual(bodies(await queue.receiver().peekMessages(10)), [3]);
});

test("a peek neither locks a message nor counts as a delivery", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: 1 });
  const receiver = queue.receiver();
  const [{ sequenceNumber }] = await receiver.peekMessages(1);
  for (let i = 0; i < 3; i++) assert.equal((await receiver.peekMessages(1, { fromSequenceNumber: sequenceNumber }))[0].deliveryCount, 0);

  assert.equal((await receiveOne(receiver)).deliveryCount, 0);
});

localTest("an iterator gives message after message", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  const receiver = queue.receiver();
  const received = [];
  for await (const message of receiver.getMessageIterator()) {
    received.push(message.body);
    await receiver.completeMessage(message);
    if (received.length === 3) break;
  }

  assert.deepEqual(received, [1, 2, 3]);
  assert.equal((await queue.counters()).completed, 3);
});

/** What the SDK has granted in a wait that ends so, it keeps until the next one. */
async function abortedWait(queue, receiver) {
  const abort = new AbortController();
  const waiting = receiver.receiveMessages(1, { maxWaitTimeInMs: 60_000, abortSignal: abort.signal });
  await eventually(async () => assert.equal((await queue.counters()).links[0]?.credit, 1));
  abort.abort();
  await assert.rejects(waiting, { name: "AbortError" });
}

test("after a wait that was aborted the receiver goes on", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await abortedWait(queue, receiver);
  const waiting = receiveOne(receiver);
  await queue.sender.sendMessages({ body: "afterwards" });

  const message = await waiting;
  assert.deepEqual([message.body, message.deliveryCount], ["afterwards", 0]);
});

test("a receiver that is closed takes its credit along", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await abortedWait(queue, receiver);
  await receiver.close();
  await queue.sender.sendMessages({ body: 1 });

  assert.equal((await receiveOne(queue.receiver())).deliveryCount, 0);
});

test("two receivers get different messages", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 6 }, (_, i) => ({ body: i })));
  const received = await Promise.all([1, 2].map(() => receiveMany(queue.receiver(), 3)));

  assert.deepEqual(bodies(received.flat()).sort(), [0, 1, 2, 3, 4, 5]);
});
