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
