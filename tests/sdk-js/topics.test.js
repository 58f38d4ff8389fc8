import assert from "node:assert/strict";
import { localTest, patience, receiveOne, suite, test } from "./suite.js";

const context = suite();
let created = 0;

/** Creates a topic with subscriptions: { name: options }. */
async function topic(subscriptions) {
  const name = `topic-${++created}`;
  const admin = context.administration();
  await admin.createTopic(name);
  for (const [subscription, properties] of Object.entries(subscriptions)) await admin.createSubscription(name, subscription, properties);
  return {
    name,
    admin,
    sender: context.client.createSender(name),
    receiver: (subscription, options) => context.client.createReceiver(name, subscription, options),
    rules: (subscription) => context.client.createRuleManager(name, subscription),
    counters: (subscription) => context.broker.counters(`${name}/Subscriptions/${subscription}`),
  };
}

test("scheduled messages are enqueued when due and can be canceled", async () => {
  const orders = await topic({ one: {} });
  const inAnHour = new Date(Date.now() + 3_600_000);
  const [cancelled] = await orders.sender.scheduleMessages([{ body: "cancelled" }, { body: "much later" }], inAnHour);
  await orders.sender.cancelScheduledMessages(cancelled);
  assert.equal((await orders.admin.getTopicRuntimeProperties(orders.name)).scheduledMessageCount, 1);
  await orders.sender.scheduleMessages({ body: "due" }, new Date(Date.now() + 200));

  assert.equal((await receiveOne(orders.receiver("one"))).body, "due");
});

test("receiving from a topic and sending to a subscription fail", async () => {
  const orders = await topic({ one: {} });

  await assert.rejects(context.client.createReceiver(orders.name).receiveMessages(1, patience), /Receive from one of its subscriptions/);
  await assert.rejects(context.client.createSender(`${orders.name}/Subscriptions/one`).sendMessages({ body: 1 }), /to its topic/);
  await assert.rejects(orders.receiver("nobody").receiveMessages(1, patience), { code: "MessagingEntityNotFound" });
});

test("rules can be added, listed, and removed over AMQP", async () => {
  const orders = await topic({ one: {} });
  const manager = orders.rules("one");
  await manager.createRule("sql", { sqlExpression: "color = 'red'" }, { sqlExpression: "SET by = 'sql'" });
  await manager.createRule("correlation", {
    subject: "urgent", correlationId: "c", messageId: "m", to: "t", replyTo: "r", sessionId: "s", replyToSessionId: "rs", contentType: "ct",
    applicationProperties: { size: 5, name: "x", on: true },
  });
  await manager.deleteRule("$Default");

  const rules = [];
  for await (const rule of manager.listRules()) rules.push(rule);
  assert.deepEqual(rules.map((rule) => rule.name), ["sql", "correlation"]);
  assert.deepEqual([rules[0].filter.sqlExpression, rules[0].action.sqlExpression], ["color = 'red'", "SET by = 'sql'"]);
  assert.deepEqual(rules[1].filter, {
    subject: "urgent", correlationId: "c", messageId: "m", to: "t", replyTo: "r", sessionId: "s", replyToSessionId: "rs", contentType: "ct",
    applicationProperties: { size: 5, name: "x", on: true },
  });
  await assert.rejects(manager.createRule("sql", { sqlExpression: "1=1" }), { code: "MessagingEntityAlreadyExists" });
  await assert.rejects(manager.deleteRule("nobody"), { code: "MessagingEntityNotFound" });
  await assert.rejects(manager.createRule("bad", { sqlExpression: "color =" }), /position 8/);
});

test("the SDK creates, reads, changes, lists, and deletes topics", async () => {
  const admin = context.administration();
  const name = `topic-${++created}`;
  await admin.createTopic(name, { defaultMessageTimeToLive: "PT1H", requiresDuplicateDetection: true, userMetadata: "mine" });
  const read = await admin.getTopic(name);
  assert.deepEqual(
    [read.name, read.defaultMessageTimeToLive, read.requiresDuplicateDetection, read.userMetadata, read.status],
    [name, "PT1H", true, "mine", "Active"],
  );
  assert.equal((await admin.updateTopic({ ...read, userMetadata: "yours" })).userMetadata, "yours");
  const names = [];
  for await (const listed of admin.listTopics()) names.push(listed.name);
  assert.ok(names.includes(name));
  assert.equal(await admin.topicExists(name), true);
  await assert.rejects(admin.createTopic(name), { statusCode: 409 });
  await assert.rejects(admin.createQueue(name), { statusCode: 409 });
  await admin.deleteTopic(name);
  assert.equal(await admin.topicExists(name), false);
});

test("the SDK creates, reads, changes, lists, and deletes subscriptions", async () => {
  const orders = await topic({ one: { lockDuration: "PT45S", maxDeliveryCount: 5, deadLetteringOnFilterEvaluationExceptions: false }, two: {} });
  const read = await orders.admin.getSubscription(orders.name, "one");
  assert.deepEqual(
    [read.topicName, read.subscriptionName, read.lockDuration, read.maxDeliveryCount, read.deadLetteringOnFilterEvaluationExceptions],
    [orders.name, "one", "PT45S", 5, false],
  );
  assert.equal((await orders.admin.updateSubscription({ ...read, maxDeliveryCount: 7 })).maxDeliveryCount, 7);
  const names = [];
  for await (const listed of orders.admin.listSubscriptions(orders.name)) names.push(listed.subscriptionName);
  assert.deepEqual(names, ["one", "two"]);
  await assert.rejects(orders.admin.createSubscription(orders.name, "one"), { statusCode: 409 });
  await assert.rejects(orders.admin.createSubscription("no-such-topic", "one"), { statusCode: 404 });
  await orders.admin.deleteSubscription(orders.name, "one");
  assert.equal(await orders.admin.subscriptionExists(orders.name, "one"), false);
  assert.equal((await orders.admin.getTopicRuntimeProperties(orders.name)).subscriptionCount, 1);
});

localTest("the SDK reads the counts of a subscription", async () => {
  const orders = await topic({ one: {} });
  await orders.sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  const receiver = orders.receiver("one");
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const runtime = await orders.admin.getSubscriptionRuntimeProperties(orders.name, "one");

  assert.deepEqual([runtime.activeMessageCount, runtime.deadLetterMessageCount, runtime.totalMessageCount], [2, 1, 3]);
  assert.equal((await orders.counters("one")).deadLetter, 1);
});

test("the SDK creates, reads, changes, lists, and deletes rules over HTTP", async () => {
  const orders = await topic({ one: {} });
  const { admin, name } = orders;
  await admin.createRule(name, "one", "sql", { sqlExpression: "size > @least", sqlParameters: { "@least": 5 } }, { sqlExpression: "SET a = 1" });
  await admin.createRule(name, "one", "correlation", {
    subject: "urgent", applicationProperties: { text: "x", number: 1.5, flag: true, day: new Date("2030-01-01T00:00:00Z") },
  });
  const sql = await admin.getRule(name, "one", "sql");
  assert.deepEqual([sql.name, sql.filter.sqlExpression, sql.filter.sqlParameters, sql.action.sqlExpression], ["sql", "size > @least", { "@least": 5 }, "SET a = 1"]);
  const correlation = await admin.getRule(name, "one", "correlation");
  assert.deepEqual([correlation.filter.subject, correlation.filter.applicationProperties], [
    "urgent", { text: "x", number: 1.5, flag: true, day: new Date("2030-01-01T00:00:00Z") },
  ]);
  await admin.updateRule(name, "one", { ...sql, filter: { sqlExpression: "1=0" } });
  assert.equal((await admin.getRule(name, "one", "sql")).filter.sqlExpression, "1=0");
  const names = [];
  for await (const rule of admin.listRules(name, "one")) names.push(rule.name);
  assert.deepEqual(names, ["$Default", "sql", "correlation"]);
  await admin.deleteRule(name, "one", "$Default");
  assert.equal(await admin.ruleExists(name, "one", "$Default"), false);
  await assert.rejects(admin.createRule(name, "one", "bad", { sqlExpression: "size >" }), { statusCode: 400, message: /position 7/ });
  await assert.rejects(admin.createRule(name, "one", "sql", { sqlExpression: "1=1" }), { statusCode: 409 });
  await assert.rejects(admin.getRule(name, "one", "nobody"), { statusCode: 404 });
});
