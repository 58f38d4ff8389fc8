import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { bodies, localTest, patience, receiveMany, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

async function sessionQueue(properties) {
  // Order matters in a description.
  const { LockDuration, ...others } = properties ?? {};
  const queue = await context.queue({ ...(LockDuration && { LockDuration }), RequiresSession: true, ...others });
  queue.accept = (id, options) => context.client.acceptSession(queue.name, id, options);
  queue.acceptNext = (options) => context.client.acceptNextSession(queue.name, options);
  return queue;
}

const send = (queue, sessionId, ...texts) => queue.sender.sendMessages(texts.map((body) => ({ body, sessionId })));

localTest("a session gives its messages in their order, and no other's", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2, 3);
  await send(queue, "b", 10);
  const receiver = await queue.accept("a");

  const received = await receiveMany(receiver, 3);

  assert.equal(receiver.sessionId, "a");
  assert.deepEqual(bodies(received), [1, 2, 3]);
  assert.deepEqual(received.map((message) => message.sessionId), ["a", "a", "a"]);
  for (const message of received) await receiver.completeMessage(message);
  assert.deepEqual(await receiver.receiveMessages(1, { maxWaitTimeInMs: 300 }), []);
  assert.equal((await queue.counters()).completed, 3);
});

test("a session can be taken before it has messages", async () => {
  const queue = await sessionQueue();
  const receiver = await queue.accept("early");
  const waiting = receiveOne(receiver);
  await send(queue, "early", "here");

  assert.equal((await waiting).body, "here");
});

test("the next sessions are different ones", async () => {
  const queue = await sessionQueue();
  for (const id of ["a", "b", "c"]) await send(queue, id, id);

  const receivers = [await queue.acceptNext(), await queue.acceptNext(), await queue.acceptNext()];

  assert.deepEqual(receivers.map((receiver) => receiver.sessionId).sort(), ["a", "b", "c"]);
  for (const receiver of receivers) assert.equal((await receiveOne(receiver)).body, receiver.sessionId);
});

test("who waits for the next session gets the first that has a message", async () => {
  const queue = await sessionQueue();
  const waiting = queue.acceptNext();
  await delay(300);
  await send(queue, "late", 1);

  assert.equal((await waiting).sessionId, "late");
});

test("the wait for the next session ends with an error that says so", async () => {
  const queue = await sessionQueue();
  const client = new (await import("@azure/service-bus")).ServiceBusClient(context.broker.connectionString, {
    retryOptions: { timeoutInMs: 1500, maxRetries: 0 },
  });
  try {
    await assert.rejects(client.acceptNextSession(queue.name), { code: "ServiceTimeout" });
  } finally {
    await client.close();
  }
});

test("a session that somebody has cannot be taken, and can when it is closed", async () => {
  const queue = await sessionQueue();
  const first = await queue.accept("a");

  await assert.rejects(queue.accept("a"), { code: "SessionCannotBeLocked" });
  await first.close();
  assert.equal((await queue.accept("a")).sessionId, "a");
});

test("what a closed session had not settled comes again, its delivery not counted", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2);
  const first = await queue.accept("a");
  await receiveMany(first, 2);
  await first.close();

  const again = await receiveMany(await queue.accept("a"), 2);

  assert.deepEqual(bodies(again), [1, 2]);
  assert.deepEqual(again.map((message) => message.deliveryCount), [0, 0]);
});

localTest("the lock on a session ends: its receiver hears of it, and what it held comes again, counted", async () => {
  const queue = await sessionQueue({ LockDuration: "PT4S" });
  await send(queue, "a", "slow");
  const first = await queue.accept("a", { maxAutoLockRenewalDurationInMs: 0 });
  const held = await receiveOne(first);
  await eventually(async () => assert.equal((await queue.counters()).expiredLocks, 1));
  await eventually(() => assert.ok(first.isClosed)); // an answer to a settlement before that may not come

  await assert.rejects(first.completeMessage(held), { code: "SessionLockLost" });
  const second = await queue.accept("a");
  const again = await receiveOne(second);
  assert.equal(again.deliveryCount, 1);
  await second.completeMessage(again);
});

localTest("the lock on a session can be renewed, and with it those on its messages", async () => {
  const queue = await sessionQueue({ LockDuration: "PT6S" });
  await send(queue, "a", "slow");
  const receiver = await queue.accept("a", { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  const before = receiver.sessionLockedUntilUtc;
  assert.ok(before.getTime() - Date.now() <= 6000, before.toISOString());
  await delay(3000);
  assert.ok((await receiver.renewSessionLock()).getTime() > before.getTime() + 1000);
  await delay(before.getTime() - Date.now() + 200);

  await receiver.completeMessage(message);
  assert.equal((await queue.counters()).completed, 1);
});

localTest("the SDK renews the lock on a session by itself", async () => {
  const queue = await sessionQueue({ LockDuration: "PT8S" });
  await send(queue, "a", "slow");
  const receiver = await queue.accept("a");
  const message = await receiveOne(receiver);
  const first = receiver.sessionLockedUntilUtc.getTime();
  await eventually(() => assert.ok(receiver.sessionLockedUntilUtc.getTime() > first + 1000)); // half way, after 4 s

  await receiver.completeMessage(message);
  assert.equal((await queue.counters()).completed, 1);
});

test("a session has a state", async () => {
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

localTest("a message without a session id is refused", async () => {
  const queue = await sessionQueue();

  await assert.rejects(queue.sender.sendMessages({ body: 1 }), /no session id/);
  await assert.rejects(queue.sender.sendMessages([{ body: 1, sessionId: "a" }, { body: 2 }]));
  assert.equal((await queue.counters()).incoming, 0);
});

test("a receiver without a session is refused by a queue with sessions, and the other way round", async () => {
  const queue = await sessionQueue();
  const plain = await context.queue();

  await assert.rejects(queue.receiver().receiveMessages(1, patience), /requires sessions/);
  await assert.rejects(context.client.acceptSession(plain.name, "a"));
});

test("peeking shows one session", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2);
  await send(queue, "b", 3);
  const receiver = await queue.accept("a");

  assert.deepEqual(bodies(await receiver.peekMessages(10)), [1, 2]);
});

localTest("a deferred message of a session is received by its number", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", "later");
  const receiver = await queue.accept("a");
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);

  const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);

  assert.equal(deferred.body, "later");
  await receiver.completeMessage(deferred);
  assert.equal((await queue.counters()).completed, 1);
});

test("abandoned and dead-lettered messages of a session go where they do everywhere", async () => {
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

localTest("a subscription to a session handles its messages one after the other", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", ...Array.from({ length: 20 }, (_, i) => i));
  const receiver = await queue.accept("a");
  const handled = [];
  const subscription = receiver.subscribe({
    processMessage: async (message) => void handled.push(message.body),
    processError: async ({ error }) => void handled.push(error),
  });
  await eventually(() => assert.equal(handled.length, 20));
  await subscription.close();

  assert.deepEqual(handled, Array.from({ length: 20 }, (_, i) => i));
  await eventually(async () => assert.equal((await queue.counters()).completed, 20));
});

test("scheduled messages of sessions come when they are due", async () => {
  const queue = await sessionQueue();
  await queue.sender.scheduleMessages({ body: "later", sessionId: "a" }, new Date(Date.now() + 700));

  const receiver = await queue.acceptNext();

  assert.equal(receiver.sessionId, "a");
  assert.equal((await receiveOne(receiver)).body, "later");
});

localTest("ten sessions are worked on at the same time", async () => {
  const queue = await sessionQueue();
  const ids = Array.from({ length: 10 }, (_, i) => `s${i}`);
  for (let round = 0; round < 5; round++) await Promise.all(ids.map((id) => send(queue, id, `${id}-${round}`)));

  const seen = await Promise.all(ids.map(async () => {
    const receiver = await queue.acceptNext();
    const texts = [];
    while (texts.length < 5) {
      for (const message of await receiver.receiveMessages(5, patience)) {
        texts.push(message.body);
        await receiver.completeMessage(message);
      }
    }
    return texts.map((text) => text.replace(receiver.sessionId, "s"));
  }));

  assert.deepEqual(seen, ids.map(() => ["s-0", "s-1", "s-2", "s-3", "s-4"]));
  assert.equal((await queue.counters()).completed, 50);
});

test("the state of a session may be bytes, and large", async () => {
  const queue = await sessionQueue();
  const receiver = await queue.accept("a");
  const state = Buffer.alloc(100_000, "state");
  await receiver.setSessionState(state);

  assert.ok(state.equals(Buffer.from(await receiver.getSessionState())));
  await assert.rejects(receiver.setSessionState(Buffer.alloc(300_000)));
  assert.ok(state.equals(Buffer.from(await receiver.getSessionState())));
});

test("each session has a state of its own, which outlives its messages", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1);
  const [a, b] = [await queue.accept("a"), await queue.accept("b")];
  await a.setSessionState("of a");
  await b.setSessionState("of b");
  await a.completeMessage(await receiveOne(a));
  await a.close();

  assert.equal(await (await queue.accept("a")).getSessionState(), "of a");
  assert.equal(await b.getSessionState(), "of b");
});

test("an abandoned message of a session comes before those behind it", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1, 2, 3);
  const receiver = await queue.accept("a");
  await receiver.abandonMessage(await receiveOne(receiver));

  const again = await receiveMany(receiver, 3);
  assert.deepEqual(again.map((message) => [message.body, message.deliveryCount]), [[1, 1], [2, 0], [3, 0]]);
});

test("the next session is one that has messages, not one that has only a state", async () => {
  const queue = await sessionQueue();
  const first = await queue.accept("with a state");
  await first.setSessionState("x");
  await first.close();
  await send(queue, "with a message", 1);

  assert.equal((await queue.acceptNext()).sessionId, "with a message");
});

test("who waits for the next session gets one that somebody gives back", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1);
  const first = await queue.acceptNext();
  const waiting = queue.acceptNext();
  await first.close();

  assert.equal((await receiveOne(await waiting)).body, 1);
});

localTest("a session that was held on a connection that was dropped can be taken again", async () => {
  const queue = await sessionQueue();
  await send(queue, "a", 1);
  const held = await queue.accept("a");
  await receiveOne(held);
  await context.broker.dropTheConnection();

  const again = await eventually(() => queue.accept("a"));
  assert.equal((await receiveOne(again)).body, 1);
});
