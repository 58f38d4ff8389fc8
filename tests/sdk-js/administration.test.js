import assert from "node:assert/strict";
import { receiveOne, suite, test } from "./suite.js";

const context = suite();

test("the SDK creates, reads, changes, and deletes a queue", async () => {
  const client = context.administration();
  const created = await client.createQueue("orders", {
    lockDuration: "PT45S", maxDeliveryCount: 5, defaultMessageTimeToLive: "PT1H", deadLetteringOnMessageExpiration: true, userMetadata: "mine",
  });
  assert.equal(created.name, "orders");
  assert.equal(created.lockDuration, "PT45S");

  const read = await client.getQueue("orders");
  assert.equal(read.maxDeliveryCount, 5);
  assert.equal(read.defaultMessageTimeToLive, "PT1H");
  assert.equal(read.deadLetteringOnMessageExpiration, true);
  assert.equal(read.requiresSession, false);
  assert.equal(read.userMetadata, "mine");
  assert.equal(read.status, "Active");

  assert.equal((await client.updateQueue({ ...read, maxDeliveryCount: 7 })).maxDeliveryCount, 7);
  assert.equal(await client.queueExists("orders"), true);
  await client.deleteQueue("orders");
  assert.equal(await client.queueExists("orders"), false);
});

test("the SDK lists queues and reads their counts", async () => {
  const [other, queue] = [await context.queue(), await context.queue()];
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }]);
  await queue.sender.scheduleMessages({ body: 3 }, new Date(Date.now() + 3_600_000));
  const client = context.administration();

  const names = [];
  for await (const listed of client.listQueues()) names.push(listed.name);
  const runtime = await client.getQueueRuntimeProperties(queue.name);

  assert.ok(names.includes(queue.name) && names.includes(other.name), `${names}`);
  assert.deepEqual(
    [runtime.activeMessageCount, runtime.scheduledMessageCount, runtime.deadLetterMessageCount, runtime.totalMessageCount],
    [2, 1, 0, 3],
  );
  assert.ok(runtime.sizeInBytes > 0);
  assert.ok(Math.abs(runtime.createdAt.getTime() - Date.now()) < 60_000);
});

test("the SDK pages through queues", async () => {
  for (let i = 0; i < 5; i++) await context.queue();
  const pages = [];
  for await (const page of context.administration().listQueues().byPage({ maxPageSize: 2 })) pages.push(page.map((queue) => queue.name));

  assert.ok(pages.length >= 3);
  assert.ok(pages.every((page) => page.length <= 2));
  assert.equal(new Set(pages.flat()).size, pages.flat().length);
});

test("the SDK reads the namespace", async () => {
  const namespace = await context.administration().getNamespaceProperties();

  assert.equal(namespace.messagingSku, "Standard");
  assert.ok(namespace.createdAt instanceof Date && !Number.isNaN(namespace.createdAt.getTime()));
});

test("the SDK receives errors with their reasons", async () => {
  const client = context.administration();
  const { name } = await context.queue();

  await assert.rejects(client.createQueue(name), { statusCode: 409, code: "MessageEntityAlreadyExistsError" });
  await assert.rejects(client.getQueue("no-such-queue"), { statusCode: 404, code: "MessageEntityNotFoundError", message: /no-such-queue/ });
});

test("a changed description applies to existing messages", async () => {
  const queue = await context.queue({ MaxDeliveryCount: 10 });
  await queue.sender.sendMessages({ body: 1 });
  const client = context.administration();
  await client.updateQueue({ ...(await client.getQueue(queue.name)), maxDeliveryCount: 1 });
  const receiver = queue.receiver();
  await receiver.abandonMessage(await receiveOne(receiver));

  assert.equal((await receiveOne(queue.deadLetters())).deadLetterReason, "MaxDeliveryCountExceeded");
});

test("the SDK pages through topics, subscriptions, and rules", async () => {
  const client = context.administration();
  await client.createTopic("paged");
  await client.createTopic("paged-too");
  for (const name of ["a", "b", "c"]) {
    await client.createSubscription("paged", name);
    await client.createRule("paged", "a", `rule-${name}`, { sqlExpression: "1=0" });
  }
  const pagesOf = async (list) => {
    const pages = [];
    for await (const page of list.byPage({ maxPageSize: 2 })) pages.push(page.map((one) => one.subscriptionName ?? one.name));
    return pages;
  };

  // The namespace may have other topics.
  const topics = await pagesOf(client.listTopics());
  assert.ok(topics.every((page) => page.length <= 2) && ["paged", "paged-too"].every((name) => topics.flat().includes(name)), `${topics}`);
  assert.deepEqual(await pagesOf(client.listSubscriptions("paged")), [["a", "b"], ["c"]]);
  assert.deepEqual(await pagesOf(client.listRules("paged", "a")), [["$Default", "rule-a"], ["rule-b", "rule-c"]]);
});

test("the SDK lists the counts of queues, topics, and subscriptions", async () => {
  const client = context.administration();
  await client.createTopic("counted");
  await client.createSubscription("counted", "all");
  await client.createSubscription("counted", "none", { defaultRuleOptions: { name: "none", filter: { sqlExpression: "1=0" } } });
  await context.client.createSender("counted").sendMessages([{ body: 1 }, { body: 2 }]);
  const counts = {};
  for await (const one of client.listSubscriptionsRuntimeProperties("counted")) counts[one.subscriptionName] = one.activeMessageCount;
  const topics = {};
  for await (const one of client.listTopicsRuntimeProperties()) topics[one.name] = one.subscriptionCount;

  assert.deepEqual([counts, topics.counted], [{ all: 2, none: 0 }, 2]);
});
