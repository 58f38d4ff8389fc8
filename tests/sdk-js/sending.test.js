import assert from "node:assert/strict";
import { localTest, receiveMany, receiveOne, suite, test } from "./suite.js";

const context = suite();

test("a received message has all properties of its sender and of the broker", async () => {
  const queue = await context.queue({ LockDuration: "PT30S" });
  const before = Date.now();
  await queue.sender.sendMessages({
    body: { deliveryId: "d-1", packages: [1, 2] },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "schedule",
    contentType: "application/json",
    to: "somewhere",
    replyTo: "elsewhere",
    partitionKey: "p-1",
    timeToLive: 600_000,
    applicationProperties: { text: "ü", number: 42, fraction: 0.5, flag: true, big: 2 ** 40, when: new Date(1_700_000_000_000), nothing: null },
  });

  const message = await receiveOne(queue.receiver());

  assert.deepEqual(message.body, { deliveryId: "d-1", packages: [1, 2] });
  assert.equal(message.messageId, "m-1");
  assert.equal(message.correlationId, "c-1");
  assert.equal(message.subject, "schedule");
  assert.equal(message.contentType, "application/json");
  assert.equal(message.to, "somewhere");
  assert.equal(message.replyTo, "elsewhere");
  assert.equal(message.partitionKey, "p-1");
  assert.equal(message.timeToLive, 600_000);
  assert.deepEqual(message.applicationProperties, {
    // The SDK returns a date as a number unless conversion is skipped.
    text: "ü", number: 42, fraction: 0.5, flag: true, big: 2 ** 40, when: 1_700_000_000_000, nothing: null,
  });
  assert.equal(message.sequenceNumber.toNumber(), 1);
  assert.equal(message.deliveryCount, 0);
  assert.equal(message.state, "active");
  assert.match(message.lockToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  // Allows one second on both sides: the broker truncates times to milliseconds, and the clocks are read at different times.
  assert.ok(message.enqueuedTimeUtc.getTime() >= before - 1000 && message.enqueuedTimeUtc.getTime() <= Date.now() + 1000);
  const lock = message.lockedUntilUtc.getTime() - before;
  assert.ok(lock >= 29_000 && lock <= Date.now() - before + 31_000, `locked for ${lock} ms`);
});

for (const [kind, sent] of Object.entries({
  text: { body: "plain" },
  number: { body: 7 },
  bytes: { body: Buffer.from([0, 1, 254, 255]) },
  "AMQP value": { body: { a: "b" }, bodyType: "value" },
  "AMQP sequence": { body: [["x", 1], ["y", 2]], bodyType: "sequence" },
})) {
  test(`a body of ${kind} is received unchanged`, async () => {
    const queue = await context.queue();
    await queue.sender.sendMessages(sent);

    assert.deepEqual((await receiveOne(queue.receiver())).body, sent.body);
  });
}

test("a batch accepts messages up to the broker's limit and is received completely", async () => {
  const queue = await context.queue();
  const batch = await queue.sender.createMessageBatch();
  const body = "x".repeat(20_000);
  while (batch.tryAddMessage({ body, messageId: `m-${batch.count}` }));
  assert.equal(batch.maxSizeInBytes, 262_144);
  assert.ok(batch.count >= 12 && batch.count <= 13, `${batch.count} messages`);

  await queue.sender.sendMessages(batch);

  const receiver = queue.receiver({ receiveMode: "receiveAndDelete" });
  const received = await receiveMany(receiver, batch.count);
  assert.deepEqual(received.map((message) => message.messageId), Array.from({ length: batch.count }, (_, i) => `m-${i}`));
  assert.ok(received.every((message) => message.body === body));
});

test("a message of many frames is received completely", async () => {
  const queue = await context.queue();
  const body = Buffer.alloc(200_000, "abcdefg");
  await queue.sender.sendMessages({ body });

  assert.ok(body.equals((await receiveOne(queue.receiver())).body));
});

localTest("several messages are scheduled together and some are canceled", async () => {
  const { sender, receiver, counters } = await context.queue();
  const inAnHour = new Date(Date.now() + 3_600_000);
  const numbers = await sender.scheduleMessages([{ body: "a" }, { body: "b" }, { body: "c" }], inAnHour);
  assert.equal(new Set(numbers.map((number) => number.toNumber())).size, 3);

  await sender.cancelScheduledMessages([numbers[0], numbers[2]]);

  const peeked = await receiver().peekMessages(10);
  assert.deepEqual(peeked.map(({ body, state }) => [body, state]), [["b", "scheduled"]]);
  assert.equal((await counters()).scheduled, 1);
});
