import assert from "node:assert/strict";
import { suite, test } from "./suite.js";

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
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }]);
  await queue.sender.scheduleMessages({ body: 3 }, new Date(Date.now() + 3_600_000));
  const client = context.administration();

  const names = [];
  for await (const listed of client.listQueues()) names.push(listed.name);
  const runtime = await client.getQueueRuntimeProperties(queue.name);

  assert.ok(names.includes(queue.name) && names.includes("delivery-requests"), `${names}`);
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

  await assert.rejects(client.createQueue("delivery-requests"), { statusCode: 409, code: "MessageEntityAlreadyExistsError" });
  await assert.rejects(client.getQueue("no-such-queue"), { statusCode: 404, code: "MessageEntityNotFoundError", message: /no-such-queue/ });
});
