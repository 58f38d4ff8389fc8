import assert from "node:assert/strict";
import { Broker, eventually } from "./broker.js";
import { localTest, receiveOne, suite } from "./suite.js";

const context = suite(Broker.startClocked);

// The SDK would renew the lock of one minute.
const lock = { LockDuration: "PT1M" };
const notRenewed = { maxAutoLockRenewalDurationInMs: 0 };
const endLocks = () => context.broker.advance(61);

localTest("settling fails after the lock has expired, and the message is redelivered", async () => {
  const queue = await context.queue(lock);
  await queue.sender.sendMessages({ body: "slow" });
  const receiver = queue.receiver(notRenewed);
  const message = await receiveOne(receiver);
  await endLocks();

  await assert.rejects(receiver.completeMessage(message), { code: "MessageLockLost" });

  const again = await receiveOne(receiver);
  assert.deepEqual([again.body, again.deliveryCount], ["slow", 1]);
  assert.equal((await queue.counters()).expiredLocks, 1);
});

localTest("a session receiver is closed when the session lock expires, and its message is redelivered", async () => {
  const queue = await context.queue({ ...lock, RequiresSession: true });
  await queue.sender.sendMessages({ body: "slow", sessionId: "a" });
  const first = await context.client.acceptSession(queue.name, "a", notRenewed);
  const held = await receiveOne(first);
  await endLocks();
  await eventually(() => assert.ok(first.isClosed)); // Before that, a settlement may stay without a response.

  await assert.rejects(first.completeMessage(held), { code: "SessionLockLost" });
  const second = await context.client.acceptSession(queue.name, "a");
  const again = await receiveOne(second);
  assert.equal(again.deliveryCount, 1);
  await second.completeMessage(again);
});
