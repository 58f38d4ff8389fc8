import assert from "node:assert/strict";
import { eventually } from "./broker.js";
import { bodies, localTest, patience, receiveOne, suite, test } from "./suite.js";

const context = suite();
const disabled = { code: "MessagingEntityDisabled" };
const receive = (queue) => queue.receiver().receiveMessages(1, patience);

localTest("a queue that gives no messages says so, and takes them", async () => {
  const queue = await context.queue({ Status: "ReceiveDisabled" });
  await queue.sender.sendMessages({ body: "kept" });

  await assert.rejects(receive(queue), disabled);
  assert.equal((await queue.counters()).active, 1);
});

test("a disabled queue neither takes nor gives messages", async () => {
  const queue = await context.queue({ Status: "Disabled" });

  await assert.rejects(queue.sender.sendMessages({ body: 1 }), disabled);
  await assert.rejects(queue.sender.scheduleMessages({ body: 1 }, new Date(Date.now() + 3_600_000)));
  await assert.rejects(receive(queue), disabled);
});

test("a queue goes on with what it has when it is made active again", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "kept" });
  const admin = context.administration();
  await admin.updateQueue({ ...(await admin.getQueue(queue.name)), status: "Disabled" });
  await assert.rejects(receive(queue), disabled);
  await admin.updateQueue({ ...(await admin.getQueue(queue.name)), status: "Active" });

  assert.deepEqual(bodies(await receive(queue)), ["kept"]);
});

test("a topic that takes no messages says so", async () => {
  await context.administration().createTopic("closed", { status: "SendDisabled" });

  await assert.rejects(context.client.createSender("closed").sendMessages({ body: 1 }), disabled);
});

test("a subscription that gives no messages keeps them", async () => {
  const admin = context.administration();
  await admin.createTopic("half-open");
  await admin.createSubscription("half-open", "one", { status: "ReceiveDisabled" });
  await context.client.createSender("half-open").sendMessages({ body: "kept" });
  const receiver = context.client.createReceiver("half-open", "one");

  await assert.rejects(receiver.receiveMessages(1, patience), disabled);
  await admin.updateSubscription({ ...(await admin.getSubscription("half-open", "one")), status: "Active" });
  assert.equal((await receiveOne(context.client.createReceiver("half-open", "one"))).body, "kept");
});

const detecting = { RequiresDuplicateDetection: true };

localTest("a second message with the same id is taken and dropped", async () => {
  const queue = await context.queue(detecting);
  for (const [body, messageId] of [["first", "a"], ["again", "a"], ["other", "b"]]) await queue.sender.sendMessages({ body, messageId });

  assert.deepEqual(bodies(await queue.receiver().peekMessages(10)), ["first", "other"]);
  assert.equal((await queue.counters()).incoming, 2);
});

test("duplicates are detected inside of a batch", async () => {
  const queue = await context.queue(detecting);
  const batch = await queue.sender.createMessageBatch();
  for (const messageId of ["a", "b", "a", "c", "b"]) batch.tryAddMessage({ body: messageId, messageId });
  await queue.sender.sendMessages(batch);

  assert.deepEqual(bodies(await queue.receiver().peekMessages(10)), ["a", "b", "c"]);
});

localTest("an id is remembered when its message is gone", async () => {
  const queue = await context.queue(detecting);
  await queue.sender.sendMessages({ body: "first", messageId: "a" });
  const receiver = queue.receiver();
  await receiver.completeMessage(await receiveOne(receiver));
  await queue.sender.sendMessages({ body: "again", messageId: "a" });

  const { active, incoming } = await queue.counters();
  assert.deepEqual([active, incoming], [0, 1]);
});

localTest("the id of a scheduled message counts as well", async () => {
  const queue = await context.queue(detecting);
  const later = new Date(Date.now() + 3_600_000);
  await queue.sender.scheduleMessages({ body: "first", messageId: "a" }, later);
  await queue.sender.sendMessages({ body: "again", messageId: "a" });

  const { active, scheduled, incoming } = await queue.counters();
  assert.deepEqual([active, scheduled, incoming], [0, 1, 1]);
});

test("messages without ids are no duplicates of each other", async () => {
  const queue = await context.queue(detecting);
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }]);

  assert.deepEqual(bodies(await queue.receiver().peekMessages(10)), [1, 2]);
});

test("without duplicate detection equal ids are two messages", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1, messageId: "a" }, { body: 2, messageId: "a" }]);

  assert.deepEqual(bodies(await queue.receiver().peekMessages(10)), [1, 2]);
});

localTest("a queue's time to live limits that of its messages", async () => {
  const queue = await context.queue({ DefaultMessageTimeToLive: "PT1S" });
  await queue.sender.sendMessages([{ body: "without" }, { body: "longer", timeToLive: 7_200_000 }]);

  await eventually(async () => assert.equal((await queue.counters()).expired, 2));
});

localTest("a message that expires while it is locked can be completed", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await receiver.peekMessages(1);
  const waiting = receiveOne(receiver);
  // Whatever the machine does, the message is locked as it arrives.
  await eventually(async () => assert.equal((await queue.counters()).links[0]?.credit, 1));
  await queue.sender.sendMessages({ body: "held", timeToLive: 2000 });
  const held = await waiting;
  await eventually(() => assert.ok(Date.now() > held.expiresAtUtc.getTime() + 100));

  await receiver.completeMessage(held);
  const { completed, expired } = await queue.counters();
  assert.deepEqual([completed, expired], [1, 0]);
});

test("a subscription's expired messages become its dead letters where it says so", async () => {
  const admin = context.administration();
  await admin.createTopic("expiring");
  await admin.createSubscription("expiring", "one", { deadLetteringOnMessageExpiration: true });
  await context.client.createSender("expiring").sendMessages({ body: "short", timeToLive: 200 });

  const dead = await receiveOne(context.client.createReceiver("expiring", "one", { subQueueType: "deadLetter" }));
  assert.deepEqual([dead.body, dead.deadLetterReason], ["short", "TTLExpiredException"]);
});

test("a message as large as the queue takes arrives, and a larger one is refused", async () => {
  const queue = await context.queue({ MaxMessageSizeInKilobytes: 4 });

  await assert.rejects(queue.sender.sendMessages({ body: Buffer.alloc(4096) }), { code: "MessageSizeExceeded" });
  await queue.sender.sendMessages({ body: Buffer.alloc(3900, 1) });
  assert.equal((await receiveOne(queue.receiver())).body.length, 3900);
});

localTest("a batch has the size that the queue takes", async () => {
  const queue = await context.queue({ MaxMessageSizeInKilobytes: 4 });
  const batch = await queue.sender.createMessageBatch();

  assert.equal(batch.maxSizeInBytes, 4096);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(5000) }), false);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(2000) }), true);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(2500) }), false);
  await queue.sender.sendMessages(batch);
  assert.equal((await queue.counters()).active, 1);
});

test("a queue that is full refuses messages until there is room", async () => {
  const queue = await context.queue({ MaxSizeInMegabytes: 1 });
  const large = { body: Buffer.alloc(200_000) };
  const fill = async () => {
    for (let i = 0; i < 20; i++) await queue.sender.sendMessages(large);
  };
  await assert.rejects(fill(), { code: "QuotaExceeded" });

  const receiver = queue.receiver({ receiveMode: "receiveAndDelete" });
  await receiveOne(receiver);
  await receiveOne(receiver);
  await eventually(() => queue.sender.sendMessages(large));
});
