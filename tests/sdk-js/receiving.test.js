import assert from "node:assert/strict";
import { bodies, localTest, patience, receiveMany, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

test("receiving from an empty queue returns nothing after the maximum wait", async () => {
  const queue = await context.queue();
  const started = Date.now();

  assert.deepEqual(await queue.receiver().receiveMessages(10, { maxWaitTimeInMs: 500 }), []);

  assert.ok(Date.now() - started >= 490);
});

localTest("no more messages are delivered than were requested", async () => {
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

localTest("a request beyond the session window locks only received messages", async () => {
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

test("unused credit is returned, so the next receiver gets the message", async () => {
  const queue = await context.queue();
  const first = queue.receiver();
  await queue.sender.sendMessages({ body: "one" });
  // Requests ten messages, receives one, and withdraws the remaining credit.
  assert.equal((await first.receiveMessages(10, patience)).length, 1);
  await queue.sender.sendMessages({ body: "two" });

  assert.equal((await receiveOne(queue.receiver())).body, "two");
});

test("peeking continues where it stopped or at a given sequence number", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 6 }, (_, i) => ({ body: i })));
  const receiver = queue.receiver();

  assert.deepEqual(bodies(await receiver.peekMessages(2)), [0, 1]);
  assert.deepEqual(bodies(await receiver.peekMessages(2)), [2, 3]);
  const [third] = await queue.receiver().peekMessages(1, { fromSequenceNumber: (await receiver.peekMessages(1))[0].sequenceNumber.sub(2) });
  assert.equal(third.body, 2);
  assert.deepEqual(await queue.receiver().peekMessages(1, { fromSequenceNumber: third.sequenceNumber.add(100) }), []);
});

/** After an aborted wait, the SDK keeps the granted credit until the next wait. */
async function abortedWait(queue, receiver) {
  const abort = new AbortController();
  const waiting = receiver.receiveMessages(1, { maxWaitTimeInMs: 60_000, abortSignal: abort.signal });
  await eventually(async () => assert.equal((await queue.counters()).links[0]?.credit, 1));
  abort.abort();
  await assert.rejects(waiting, { name: "AbortError" });
}

test("the receiver works after an aborted wait", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await abortedWait(queue, receiver);
  const waiting = receiveOne(receiver);
  await queue.sender.sendMessages({ body: "afterwards" });

  const message = await waiting;
  assert.deepEqual([message.body, message.deliveryCount], ["afterwards", 0]);
});

test("closing a receiver removes its credit", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await abortedWait(queue, receiver);
  await receiver.close();
  await queue.sender.sendMessages({ body: 1 });

  assert.equal((await receiveOne(queue.receiver())).deliveryCount, 0);
});
