import assert from "node:assert/strict";
import { bodies, localTest, patience, receiveMany, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

test("a queue forwards to another", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });
  await start.sender.sendMessages([{ body: 1 }, { body: 2 }]);

  const received = await receiveMany(end.receiver(), 2);
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

  assert.deepEqual(bodies(await receiveMany(end.receiver(), 5)), [0, 1, 2, 3, 4]);
});

test("nobody receives from or looks into a queue that forwards", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });

  await assert.rejects(start.receiver().receiveMessages(1, patience), /auto-forwarding enabled/);
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

test("a message goes through two queues and a topic", async () => {
  const admin = context.administration();
  await admin.createTopic("last");
  await admin.createSubscription("last", "one");
  const middle = await context.queue({ ForwardTo: "last" });
  const first = await context.queue({ ForwardTo: middle.name });
  await first.sender.sendMessages({ body: "far", messageId: "m", applicationProperties: { kept: 1 } });

  const message = await receiveOne(context.client.createReceiver("last", "one"));
  assert.deepEqual([message.body, message.messageId, message.applicationProperties], ["far", "m", { kept: 1 }]);
});

localTest("a scheduled message is forwarded when it is due", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });
  await start.sender.scheduleMessages({ body: "much later" }, new Date(Date.now() + 3_600_000));
  assert.deepEqual([(await start.counters()).scheduled, (await end.counters()).incoming], [1, 0]);
  await start.sender.scheduleMessages({ body: "later" }, new Date(Date.now() + 1500));

  assert.equal((await receiveOne(end.receiver())).body, "later");
});

test("an expired message is forwarded as a dead letter", async () => {
  const graveyard = await context.queue();
  const orders = await context.queue({ DeadLetteringOnMessageExpiration: true, ForwardDeadLetteredMessagesTo: graveyard.name });
  await orders.sender.sendMessages({ body: "short", timeToLive: 200 });

  const buried = await receiveOne(graveyard.receiver());
  assert.deepEqual([buried.body, buried.deadLetterReason, buried.deadLetterSource], ["short", "TTLExpiredException", orders.name]);
});

test("a message whose way is closed is a transfer dead letter", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });
  const admin = context.administration();
  await admin.updateQueue({ ...(await admin.getQueue(end.name)), status: "SendDisabled" });
  await start.sender.sendMessages({ body: "lost" });

  const dead = await receiveOne(context.client.createReceiver(start.name, { subQueueType: "transferDeadLetter" }));
  assert.deepEqual([dead.body, dead.deadLetterReason], ["lost", "MessagingEntityDisabled"]);
});
