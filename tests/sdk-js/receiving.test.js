import assert from "node:assert/strict";
import { bodies, receiveOne, suite, test } from "./suite.js";
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
  const waiting = receiveOne(queue.receiver(), 30_000);
  await queue.sender.sendMessages({ body: "here" });

  assert.equal((await waiting).body, "here");
});

test("no more messages are handed out than were asked for", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 10 }, (_, i) => ({ body: i })));
  const receiver = queue.receiver();

  const received = await receiver.receiveMessages(4, { maxWaitTimeInMs: 5000 });

  assert.deepEqual(bodies(received), [0, 1, 2, 3]);
  const counters = await queue.counters();
  assert.equal(counters.locked, 4);
  assert.equal(counters.active, 6);
  assert.equal(counters.outgoing, 4);
});

test("a client that asks for more than its session has room for holds no more than it got", async () => {
  const messages = 3000;
  const queue = await context.queue();
  for (let i = 0; i < messages; i += 1000) {
    await queue.sender.sendMessages(Array.from({ length: 1000 }, (_, j) => ({ body: i + j })));
  }
  const receiver = queue.receiver();
  const received = [];
  while (received.length < messages) {
    const some = await receiver.receiveMessages(messages - received.length, { maxWaitTimeInMs: 5000 });
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
  assert.equal((await first.receiveMessages(10, { maxWaitTimeInMs: 5000 })).length, 1);
  await queue.sender.sendMessages({ body: "two" });

  assert.equal((await receiveOne(queue.receiver())).body, "two");
});

test("receive and delete leaves nothing behind", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "a" }, { body: "b" }]);
  const receiver = queue.receiver({ receiveMode: "receiveAndDelete" });

  const received = [];
  while (received.length < 2) received.push(...(await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 })));

  assert.deepEqual(bodies(received), ["a", "b"]);
  assert.equal(received[0].lockToken, undefined);
  await eventually(async () => {
    const counters = await queue.counters();
    assert.equal(counters.completed, 2);
    assert.equal(counters.active + counters.locked, 0);
  });
});

test("peeking shows messages in every state and locks none", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "active" }, { body: "deferred" }, { body: "locked" }]);
  await queue.sender.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 3_600_000));
  const receiver = queue.receiver();
  const received = await receiver.receiveMessages(3, { maxWaitTimeInMs: 5000 });
  assert.equal(received.length, 3);
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

  await assert.rejects(receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }), { code: "MessagingEntityNotFound" });
});

test("a message whose time to live is over is dropped", async () => {
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
