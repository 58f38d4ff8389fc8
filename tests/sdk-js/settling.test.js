import assert from "node:assert/strict";
import { eventually } from "./broker.js";
import { bodies, localTest, receiveMany, receiveOne, suite, test } from "./suite.js";

const context = suite();

test("an abandoned message is redelivered immediately, in order, with changed properties", async () => {
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

localTest("a dead letter has its reason, description, and properties", async () => {
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

localTest("a deferred message is only received by its sequence number", async () => {
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

localTest("locks can be renewed, including those of deferred messages", async () => {
  const queue = await context.queue({ LockDuration: "PT1M" });
  await queue.sender.sendMessages({ body: "slow" });
  const receiver = queue.receiver({ maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  const first = message.lockedUntilUtc.getTime();
  await eventually(async () => assert.ok((await receiver.renewMessageLock(message)).getTime() > first));
  await receiver.deferMessage(message);
  const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  const before = deferred.lockedUntilUtc.getTime();

  await eventually(async () => assert.ok((await receiver.renewMessageLock(deferred)).getTime() > before));
});

localTest("many messages can be settled differently and in any order", async () => {
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

localTest("a dead letter can be counted, deferred, and completed", async () => {
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

localTest("several deferred messages can be received together", async () => {
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

localTest("a message can be settled by another receiver", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: 1 });
  const message = await receiveOne(queue.receiver());
  const other = queue.receiver();
  await other.completeMessage(message);

  const { completed, locked } = await queue.counters();
  assert.deepEqual([completed, locked], [1, 0]);
});
