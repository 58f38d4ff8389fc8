import assert from "node:assert/strict";
import { receiveOne, suite, test } from "./suite.js";

const context = suite();

test("the SDK creates, reads, changes and deletes a queue", async () => {
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

test("the SDK creates a queue with sessions", async () => {
  const client = context.administration();
  await client.createQueue("with-sessions", { requiresSession: true });

  assert.equal((await client.getQueue("with-sessions")).requiresSession, true);
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

test("the SDK gets errors with their reasons", async () => {
  const client = context.administration();
  const { name } = await context.queue();

  await assert.rejects(client.createQueue(name), { statusCode: 409, code: "MessageEntityAlreadyExistsError" });
  await assert.rejects(client.getQueue("no-such-queue"), { statusCode: 404, code: "MessageEntityNotFoundError", message: /no-such-queue/ });
});

for (const [property, value] of Object.entries({
  lockDuration: "PT2M",
  maxSizeInMegabytes: 2048,
  requiresDuplicateDetection: true,
  requiresSession: true,
  defaultMessageTimeToLive: "P1DT2H3M4S",
  deadLetteringOnMessageExpiration: true,
  duplicateDetectionHistoryTimeWindow: "PT30S",
  maxDeliveryCount: 2000,
  status: "ReceiveDisabled",
  userMetadata: "<mine & yours>",
  autoDeleteOnIdle: "PT7M",
  maxMessageSizeInKilobytes: 1024,
})) {
  test(`the SDK creates a queue whose ${property} is ${value}`, async () => {
    const client = context.administration();
    const name = `with-${property}`;
    assert.equal((await client.createQueue(name, { [property]: value }))[property], value);
    assert.equal((await client.getQueue(name))[property], value);
  });
}

for (const [property, value] of Object.entries({
  lockDuration: "PT6M",
  maxDeliveryCount: 0,
  defaultMessageTimeToLive: "PT0.5S",
  duplicateDetectionHistoryTimeWindow: "P8D",
  userMetadata: "x".repeat(1025),
  autoDeleteOnIdle: "PT4M",
  status: "Sleeping",
})) {
  test(`a queue whose ${property} is out of range is refused, and the error names it`, async () => {
    const client = context.administration();
    await assert.rejects(client.createQueue("refused", { [property]: value }), { statusCode: 400, message: new RegExp(property, "i") });
    assert.equal(await client.queueExists("refused"), false);
  });
}

for (const property of ["requiresSession", "requiresDuplicateDetection"]) {
  test(`${property} cannot be changed`, async () => {
    const { name } = await context.queue();
    const client = context.administration();

    await assert.rejects(client.updateQueue({ ...(await client.getQueue(name)), [property]: true }), { statusCode: 400 });
    assert.equal((await client.getQueue(name))[property], false);
  });
}

for (const [what, ask] of Object.entries({
  "a queue": (client) => client.deleteQueue("nowhere"),
  "a topic": (client) => client.getTopic("nowhere"),
  "the counts of a queue": (client) => client.getQueueRuntimeProperties("nowhere"),
  "a subscription of no topic": (client) => client.getSubscription("nowhere", "one"),
})) {
  test(`${what} that is not there is not found`, async () => {
    await assert.rejects(ask(context.administration()), { statusCode: 404, code: "MessageEntityNotFoundError" });
  });
}

test("a queue that is not there cannot be changed", async () => {
  const client = context.administration();
  const { name } = await context.queue();
  const read = await client.getQueue(name);
  await client.deleteQueue(name);

  await assert.rejects(client.updateQueue(read), { statusCode: 404 });
  assert.equal(await client.queueExists(name), false);
});

test("a changed description holds for the messages that are there", async () => {
  const queue = await context.queue({ MaxDeliveryCount: 10 });
  await queue.sender.sendMessages({ body: 1 });
  const client = context.administration();
  await client.updateQueue({ ...(await client.getQueue(queue.name)), maxDeliveryCount: 1 });
  const receiver = queue.receiver();
  await receiver.abandonMessage(await receiveOne(receiver));

  assert.equal((await receiveOne(queue.deadLetters())).deadLetterReason, "MaxDeliveryCountExceeded");
});

test("a deleted queue takes its messages along", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: 1 });
  const client = context.administration();
  await client.deleteQueue(queue.name);
  await client.createQueue(queue.name);

  assert.equal((await client.getQueueRuntimeProperties(queue.name)).totalMessageCount, 0);
});

test("the SDK pages through topics, subscriptions and rules", async () => {
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

  // Others may have topics there, too.
  const topics = await pagesOf(client.listTopics());
  assert.ok(topics.every((page) => page.length <= 2) && ["paged", "paged-too"].every((name) => topics.flat().includes(name)), `${topics}`);
  assert.deepEqual(await pagesOf(client.listSubscriptions("paged")), [["a", "b"], ["c"]]);
  assert.deepEqual(await pagesOf(client.listRules("paged", "a")), [["$Default", "rule-a"], ["rule-b", "rule-c"]]);
});

test("the SDK lists the counts of queues, topics and subscriptions", async () => {
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
