import assert from "node:assert/strict";
import { bodies, localTest, receiveMany, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

async function sessionQueue(properties) {
  // The order of elements in a description is significant.
  const { LockDuration, ...others } = properties ?? {};
  const queue = await context.queue({ ...(LockDuration && { LockDuration }), RequiresSession: true, ...others });
  queue.accept = (id, options) => context.client.acceptSession(queue.name, id, options);
  queue.acceptNext = (options) => context.client.acceptNextSession(queue.name, options);
  return queue;
}

const send = (queue, sessionId, ...texts) => queue.sender.sendMessages(texts.map((body) => ({ body, sessionId })));

localTest("a session receives only its own messages, in order", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2, 3);
  await send(queue, "b", 10);
  const receiver = await queue.accept("a");

  const received = await receiveMany(receiver, 3);

  assert.equal(receiver.sessionId, "a");
  assert.deepEqual(bodies(received), [1, 2, 3]);
  assert.deepEqual(received.map((message) => message.sessionId), ["a", "a", "a"]);
  for (const message of received) await receiver.completeMessage(message);
  await send(queue, "a", 4);
  assert.equal((await receiveOne(receiver)).body, 4);
  const { active, completed } = await queue.counters();
  assert.deepEqual([active, completed], [1, 3]);
});

test("each request for the next session returns another one", async () => {
  const queue = await sessionQueue();
  for (const id of ["a", "b", "c"]) await send(queue, id, id);

  const receivers = [await queue.acceptNext(), await queue.acceptNext(), await queue.acceptNext()];

  assert.deepEqual(receivers.map((receiver) => receiver.sessionId).sort(), ["a", "b", "c"]);
  for (const receiver of receivers) assert.equal((await receiveOne(receiver)).body, receiver.sessionId);
});

test("a locked session can only be accepted after it is closed", async () => {
  const queue = await sessionQueue();
  const first = await queue.accept("a");

  await assert.rejects(queue.accept("a"), { code: "SessionCannotBeLocked" });
  await first.close();
  assert.equal((await queue.accept("a")).sessionId, "a");
});

test("a session lock can be renewed", async () => {
  const queue = await sessionQueue({ LockDuration: "PT1M" });
  const receiver = await queue.accept("a", { maxAutoLockRenewalDurationInMs: 0 });
  const before = receiver.sessionLockedUntilUtc.getTime();

  await eventually(async () => assert.ok((await receiver.renewSessionLock()).getTime() > before));
});

test("the state of a session can be set and read", async () => {
  const queue = await sessionQueue();
  const receiver = await queue.accept("a");
  assert.equal(await receiver.getSessionState(), null);
  await receiver.setSessionState({ step: 2 });
  assert.deepEqual(await receiver.getSessionState(), { step: 2 });
  await receiver.close();
  const next = await queue.accept("a");
  assert.deepEqual(await next.getSessionState(), { step: 2 });
  await next.setSessionState(null);

  assert.equal(await next.getSessionState(), null);
});

test("session messages can be abandoned and dead-lettered", async () => {
  const queue = await sessionQueue({ MaxDeliveryCount: 2 });
  await send(queue, "a", "bad", "worse", "good");
  const receiver = await queue.accept("a");
  const [bad, worse] = await receiveMany(receiver, 2);
  await receiver.deadLetterMessage(bad, { deadLetterReason: "why" });
  await receiver.abandonMessage(worse);
  await receiver.abandonMessage(await receiveOne(receiver));
  const good = await receiveOne(receiver);
  await receiver.completeMessage(good);

  const deadLetters = queue.deadLetters();
  const dead = [await receiveOne(deadLetters), await receiveOne(deadLetters)];
  assert.equal(good.body, "good");
  assert.deepEqual(dead.map((message) => [message.body, message.sessionId, message.deadLetterReason]), [
    ["bad", "a", "why"],
    ["worse", "a", "MaxDeliveryCountExceeded"],
  ]);
  for (const message of dead) await deadLetters.completeMessage(message);
});

localTest("receive and delete works in a session", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2);
  const receiver = await queue.accept("a", { receiveMode: "receiveAndDelete" });

  const received = await receiveMany(receiver, 2);

  assert.deepEqual(bodies(received), [1, 2]);
  await eventually(async () => assert.equal((await queue.counters()).completed, 2));
});

test("the next session is one with messages, not one with only a state", async () => {
  const queue = await sessionQueue();
  const first = await queue.accept("with a state");
  await first.setSessionState("x");
  await first.close();
  await send(queue, "with a message", 1);

  assert.equal((await queue.acceptNext()).sessionId, "with a message");
});
