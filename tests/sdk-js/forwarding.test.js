import assert from "node:assert/strict";
import { bodies, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

test("a queue forwards to another", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });
  await start.sender.sendMessages([{ body: 1 }, { body: 2 }]);

  const received = await end.receiver().receiveMessages(2, { maxWaitTimeInMs: 5000 });
  assert.deepEqual(bodies(received), [1, 2]);
  assert.deepEqual(received.map((message) => message.enqueuedSequenceNumber), [1, 2]);
});

test("a batch goes from a subscription to a queue", async () => {
  const end = await context.queue();
  const admin = context.administration();
  await admin.createTopic("news");
  await admin.createSubscription("news", "one", { forwardTo: end.name });
  const sender = context.client.createSender("news");
  const batch = await sender.createMessageBatch();
  for (let number = 0; number < 5; number++) batch.tryAddMessage({ body: number });
  await sender.sendMessages(batch);

  assert.deepEqual(bodies(await end.receiver().receiveMessages(5, { maxWaitTimeInMs: 5000 })), [0, 1, 2, 3, 4]);
});

test("nobody receives from or looks into a queue that forwards", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });

  await assert.rejects(start.receiver().receiveMessages(1, { maxWaitTimeInMs: 2000 }), /auto-forwarding enabled/);
  await assert.rejects(start.receiver().peekMessages(1), /auto-forwarding enabled/);
});

test("dead letters are forwarded with their reasons and their source", async () => {
  const graveyard = await context.queue();
  const orders = await context.queue({ ForwardDeadLetteredMessagesTo: graveyard.name });
  await orders.sender.sendMessages({ body: "bad" });
  const receiver = orders.receiver();
  await receiver.deadLetterMessage(await receiveOne(receiver), { deadLetterReason: "why" });

  const buried = await receiveOne(graveyard.receiver());
  assert.deepEqual([buried.body, buried.deadLetterReason, buried.deadLetterSource], ["bad", "why", orders.name]);
});

test("a message that goes in a circle is a transfer dead letter after four hops", async () => {
  const admin = context.administration();
  await admin.createQueue("circle-a");
  await admin.createQueue("circle-b", { forwardTo: "circle-a" });
  await admin.updateQueue({ ...(await admin.getQueue("circle-a")), forwardTo: "circle-b" });
  await context.client.createSender("circle-a").sendMessages({ body: "round" });

  const receiver = context.client.createReceiver("circle-a", { subQueueType: "transferDeadLetter" });
  const dead = await receiveOne(receiver);
  assert.deepEqual([dead.body, dead.deadLetterReason], ["round", "MaxTransferHopCountExceeded"]);
  assert.equal((await admin.getQueueRuntimeProperties("circle-a")).transferDeadLetterMessageCount, 1);
  await receiver.completeMessage(dead);
  await eventually(async () => assert.equal((await admin.getQueueRuntimeProperties("circle-a")).transferDeadLetterMessageCount, 0));
});

test("the SDK sets, reads and ends forwarding", async () => {
  const end = await context.queue();
  const admin = context.administration();
  await admin.createQueue("forwards", { forwardTo: end.name, forwardDeadLetteredMessagesTo: end.name });
  const read = await admin.getQueue("forwards");
  assert.match(read.forwardTo, new RegExp(`${end.name}$`));
  assert.match(read.forwardDeadLetteredMessagesTo, new RegExp(`${end.name}$`));
  const changed = await admin.updateQueue({ ...read, forwardTo: undefined, forwardDeadLetteredMessagesTo: undefined });

  assert.deepEqual([changed.forwardTo, changed.forwardDeadLetteredMessagesTo], [undefined, undefined]);
  await assert.rejects(admin.createQueue("nowhere", { forwardTo: "no-such-queue" }), { statusCode: 400, message: /40400/ });
  await assert.rejects(admin.createQueue("itself", { forwardTo: "itself" }), { statusCode: 400 });
});

test("the SDK sets and reads how long an entity is kept without use", async () => {
  const admin = context.administration();
  await admin.createQueue("brief", { autoDeleteOnIdle: "PT5M" });
  assert.equal((await admin.getQueue("brief")).autoDeleteOnIdle, "PT5M");
  await admin.createTopic("brief-topic", { autoDeleteOnIdle: "PT10M" });
  assert.equal((await admin.getTopic("brief-topic")).autoDeleteOnIdle, "PT10M");
  await admin.createSubscription("brief-topic", "one", { autoDeleteOnIdle: "PT15M" });
  assert.equal((await admin.getSubscription("brief-topic", "one")).autoDeleteOnIdle, "PT15M");

  await assert.rejects(admin.createQueue("too-brief", { autoDeleteOnIdle: "PT1M" }), { statusCode: 400 });
});
