import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { bodies, localTest, receiveMany, receiveOne, suite, test } from "./suite.js";

const context = suite();

localTest("a completed message is gone", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "done" });
  const receiver = queue.receiver();

  await receiver.completeMessage(await receiveOne(receiver));

  const counters = await queue.counters();
  assert.deepEqual([counters.completed, counters.locked, counters.active], [1, 0, 0]);
});

test("an abandoned message comes back at once, in its place, with its changed properties", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "first", applicationProperties: { kept: 1, changed: "old" } }, { body: "second" }]);
  const receiver = queue.receiver();
  const first = await receiveOne(receiver);

  await receiver.abandonMessage(first, { changed: "new", added: true });

  const again = await receiveOne(receiver);
  assert.equal(again.body, "first");
  assert.equal(again.deliveryCount, 1);
  assert.equal(again.sequenceNumber.toNumber(), first.sequenceNumber.toNumber());
  assert.deepEqual(again.enqueuedTimeUtc, first.enqueuedTimeUtc);
  assert.notEqual(again.lockToken, first.lockToken);
  assert.deepEqual(again.applicationProperties, { kept: 1, changed: "new", added: true });
});

localTest("a dead-lettered message is read from the dead letters, with reason, description and properties", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "bad", messageId: "m-1", applicationProperties: { kept: 1 } });
  const receiver = queue.receiver();

  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: "unreadable",
    deadLetterErrorDescription: "no delivery id",
    note: "seen",
  });

  const deadLetters = queue.deadLetters();
  const dead = await receiveOne(deadLetters);
  assert.equal(dead.body, "bad");
  assert.equal(dead.messageId, "m-1");
  assert.equal(dead.deadLetterReason, "unreadable");
  assert.equal(dead.deadLetterErrorDescription, "no delivery id");
  assert.equal(dead.applicationProperties.kept, 1);
  assert.equal(dead.applicationProperties.note, "seen");
  assert.equal((await queue.counters()).deadLetter, 1);
  await deadLetters.completeMessage(dead);
  assert.equal((await queue.counters()).deadLetter, 0);
});

test("a message that fails as often as the queue allows goes to the dead letters", async () => {
  const queue = await context.queue({ MaxDeliveryCount: 2 });
  await queue.sender.sendMessages({ body: "poison" });
  const receiver = queue.receiver();
  for (let i = 0; i < 2; i++) await receiver.abandonMessage(await receiveOne(receiver));

  const dead = await receiveOne(queue.deadLetters());

  assert.equal(dead.body, "poison");
  assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
  assert.equal(dead.deliveryCount, 2);
});

localTest("a deferred message is left out until it is asked for by its number", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: "later" }, { body: "now" }]);
  const receiver = queue.receiver();
  const later = await receiveOne(receiver);
  await receiver.deferMessage(later, { because: "waiting" });

  assert.equal((await receiveOne(receiver)).body, "now");
  const [deferred] = await receiver.receiveDeferredMessages(later.sequenceNumber);
  assert.equal(deferred.body, "later");
  assert.equal(deferred.applicationProperties.because, "waiting");
  assert.equal(deferred.sequenceNumber.toNumber(), later.sequenceNumber.toNumber());
  await receiver.completeMessage(deferred);
  const counters = await queue.counters();
  assert.deepEqual([counters.deferred, counters.completed, counters.locked], [0, 1, 1]);
});

test("a deferred message can be dead-lettered, and abandoned it stays deferred", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "later" });
  const receiver = queue.receiver();
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);

  const [once] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  await receiver.abandonMessage(once);
  const [twice] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  await receiver.deadLetterMessage(twice, { deadLetterReason: "gave up" });

  assert.equal((await receiveOne(queue.deadLetters())).deadLetterReason, "gave up");
});

test("asking for a number that is not deferred is an error", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "active" });
  const receiver = queue.receiver();
  const [active] = await receiver.peekMessages(1);

  await assert.rejects(receiver.receiveDeferredMessages(active.sequenceNumber), { code: "MessageNotFound" });
});

localTest("settling after the lock has ended is refused, and the message is delivered again", async () => {
  const queue = await context.queue({ LockDuration: "PT5S" });
  await queue.sender.sendMessages({ body: "slow" });
  // Without this the SDK would renew the lock by itself.
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  await delay(message.lockedUntilUtc.getTime() - Date.now() + 100);

  await assert.rejects(receiver.completeMessage(message), { code: "MessageLockLost" });

  const again = await receiveOne(receiver);
  assert.equal(again.body, "slow");
  assert.equal(again.deliveryCount, 1);
  await receiver.completeMessage(again);
  const counters = await queue.counters();
  assert.deepEqual([counters.lockLost, counters.expiredLocks, counters.completed], [1, 1, 1]);
});

for (const [settlement, settle] of Object.entries({
  abandoned: (receiver, message) => receiver.abandonMessage(message),
  deferred: (receiver, message) => receiver.deferMessage(message),
  "dead-lettered": (receiver, message) => receiver.deadLetterMessage(message),
})) {
  localTest(`a message whose lock has ended cannot be ${settlement}`, async () => {
    const queue = await context.queue({ LockDuration: "PT1S" });
    await queue.sender.sendMessages({ body: "slow" });
    const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
    const message = await receiveOne(receiver);
    await delay(message.lockedUntilUtc.getTime() - Date.now() + 100);

    await assert.rejects(settle(receiver, message), { code: "MessageLockLost" });

    assert.equal((await queue.counters()).active, 1);
  });
}

localTest("a renewed lock holds for longer", async () => {
  const queue = await context.queue({ LockDuration: "PT6S" });
  await queue.sender.sendMessages({ body: "slow" });
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  const first = message.lockedUntilUtc.getTime();
  await delay(3000);

  const renewed = await receiver.renewMessageLock(message);

  assert.ok(renewed.getTime() > first + 1000, `renewed by ${renewed.getTime() - first} ms`);
  await delay(first - Date.now() + 200);
  await receiver.completeMessage(message);
  assert.equal((await queue.counters()).completed, 1);
});

test("a lock that has ended cannot be renewed", async () => {
  const queue = await context.queue({ LockDuration: "PT1S" });
  await queue.sender.sendMessages({ body: "slow" });
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  await delay(message.lockedUntilUtc.getTime() - Date.now() + 100);

  await assert.rejects(receiver.renewMessageLock(message), { code: "MessageLockLost" });
});

localTest("many messages are settled in any order and each in its own way", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 40 }, (_, i) => ({ body: i })));
  const receiver = queue.receiver();
  const received = await receiveMany(receiver, 40);

  await Promise.all(
    received.reverse().map((message) =>
      [
        () => receiver.completeMessage(message),
        () => receiver.abandonMessage(message),
        () => receiver.deadLetterMessage(message, { deadLetterReason: `${message.body}` }),
        () => receiver.deferMessage(message),
      ][message.body % 4](),
    ),
  );

  const counters = await queue.counters();
  assert.deepEqual([counters.completed, counters.active, counters.deadLetter, counters.deferred, counters.locked], [10, 10, 10, 10, 0]);
  const back = await receiveMany(receiver, 10);
  assert.deepEqual(bodies(back), Array.from({ length: 10 }, (_, i) => i * 4 + 1));
});

localTest("a dead letter is counted, deferred and completed like every message", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "bad" });
  const receiver = queue.receiver();
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const deadLetters = queue.deadLetters();
  await deadLetters.abandonMessage(await receiveOne(deadLetters));
  const again = await receiveOne(deadLetters);
  assert.equal(again.deliveryCount, 1);
  await deadLetters.deferMessage(again);
  const [deferred] = await deadLetters.receiveDeferredMessages(again.sequenceNumber);
  await deadLetters.completeMessage(deferred);

  assert.equal((await queue.counters()).deadLetter, 0);
});

localTest("several deferred messages are asked for together", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  const receiver = queue.receiver();
  const received = await receiveMany(receiver, 3);
  for (const message of received) await receiver.deferMessage(message);

  const deferred = await receiver.receiveDeferredMessages([received[2].sequenceNumber, received[0].sequenceNumber]);
  assert.deepEqual(bodies(deferred).sort(), [1, 3]);
  assert.ok(deferred.every((message) => message.state === "deferred" && message.lockToken));
  const { deferred: left, locked } = await queue.counters();
  assert.deepEqual([left, locked], [1, 2]);
});

localTest("a deferred message that is received and deleted is gone", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: 1 });
  const receiver = queue.receiver();
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);
  const [deferred] = await queue.receiver({ receiveMode: "receiveAndDelete" }).receiveDeferredMessages(message.sequenceNumber);

  assert.equal(deferred.lockToken, undefined);
  const counters = await queue.counters();
  assert.deepEqual([counters.deferred, counters.locked, counters.completed], [0, 0, 1]);
});

test("the lock on a deferred message can be renewed", async () => {
  const queue = await context.queue({ LockDuration: "PT30S" });
  await queue.sender.sendMessages({ body: 1 });
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);
  const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  const before = deferred.lockedUntilUtc;

  assert.ok((await receiver.renewMessageLock(deferred)) >= before);
  await receiver.completeMessage(deferred);
});

test("a lock that ends counts as a failed delivery, up to the number that the queue allows", async () => {
  const queue = await context.queue({ LockDuration: "PT0.2S", MaxDeliveryCount: 2 });
  await queue.sender.sendMessages({ body: "slow" });
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  await receiveOne(receiver);
  await receiveOne(receiver);

  const dead = await receiveOne(queue.deadLetters());
  assert.deepEqual([dead.body, dead.deadLetterReason, dead.deliveryCount], ["slow", "MaxDeliveryCountExceeded", 2]);
});

localTest("one message can be settled by a receiver that did not receive it", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: 1 });
  const message = await receiveOne(queue.receiver());
  const other = queue.receiver();
  await other.completeMessage(message);

  const { completed, locked } = await queue.counters();
  assert.deepEqual([completed, locked], [1, 0]);
});
