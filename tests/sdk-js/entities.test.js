import assert from "node:assert/strict";
import { localTest, patience, receiveOne, suite, test } from "./suite.js";

const context = suite();

const disabled = { code: "MessagingEntityDisabled" };

test("sending to a topic with sending disabled fails", async () => {
  await context.administration().createTopic("closed", { status: "SendDisabled" });

  await assert.rejects(context.client.createSender("closed").sendMessages({ body: 1 }), disabled);
});

test("a subscription with receiving disabled keeps its messages", async () => {
  const admin = context.administration();
  await admin.createTopic("half-open");
  await admin.createSubscription("half-open", "one", { status: "ReceiveDisabled" });
  await context.client.createSender("half-open").sendMessages({ body: "kept" });
  const receiver = context.client.createReceiver("half-open", "one");

  await assert.rejects(receiver.receiveMessages(1, patience), disabled);
  await admin.updateSubscription({ ...(await admin.getSubscription("half-open", "one")), status: "Active" });
  assert.equal((await receiveOne(context.client.createReceiver("half-open", "one"))).body, "kept");
});

localTest("duplicate detection includes scheduled messages", async () => {
  const queue = await context.queue({ RequiresDuplicateDetection: true });
  const later = new Date(Date.now() + 3_600_000);
  await queue.sender.scheduleMessages({ body: "first", messageId: "a" }, later);
  await queue.sender.sendMessages({ body: "again", messageId: "a" });

  const { active, scheduled, incoming } = await queue.counters();
  assert.deepEqual([active, scheduled, incoming], [0, 1, 1]);
});

localTest("a batch has the maximum size of the queue", async () => {
  const queue = await context.queue({ MaxMessageSizeInKilobytes: 4 });
  const batch = await queue.sender.createMessageBatch();

  assert.equal(batch.maxSizeInBytes, 4096);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(5000) }), false);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(2000) }), true);
  assert.equal(batch.tryAddMessage({ body: Buffer.alloc(2500) }), false);
  await queue.sender.sendMessages(batch);
  assert.equal((await queue.counters()).active, 1);
});
