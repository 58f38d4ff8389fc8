import assert from "node:assert/strict";
import { patience, receiveOne, suite, test } from "./suite.js";
import { eventually } from "./broker.js";

const context = suite();

test("receiving from and peeking at a forwarding queue fail", async () => {
  const end = await context.queue();
  const start = await context.queue({ ForwardTo: end.name });

  await assert.rejects(start.receiver().receiveMessages(1, patience), /auto-forwarding enabled/);
  await assert.rejects(start.receiver().peekMessages(1), /auto-forwarding enabled/);
});

test("forwarded dead letters keep their reason and source", async () => {
  const graveyard = await context.queue();
  const orders = await context.queue({ ForwardDeadLetteredMessagesTo: graveyard.name });
  await orders.sender.sendMessages({ body: "bad" });
  const receiver = orders.receiver();
  await receiver.deadLetterMessage(await receiveOne(receiver), { deadLetterReason: "why" });

  const buried = await receiveOne(graveyard.receiver());
  assert.deepEqual([buried.body, buried.deadLetterReason, buried.deadLetterSource], ["bad", "why", orders.name]);
});

test("a message in a forwarding loop is dead-lettered after four hops", async () => {
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

test("the SDK sets, reads, and removes forwarding", async () => {
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
