import assert from "node:assert/strict";
import rhea from "rhea";
import { receiveMany, receiveOne, suite, test } from "./suite.js";

const context = suite();

/** Sends a message to a queue and returns the received message. */
async function returned(message, options) {
  const queue = await context.queue();
  await queue.sender.sendMessages(message);
  return receiveOne(queue.receiver({ receiveMode: "receiveAndDelete", ...options }));
}

for (const [kind, value] of Object.entries({
  "text beyond ASCII": "Grüße, 東京 🚁",
  "empty text": "",
  "long text": "x".repeat(10_000),
  zero: 0,
  "small number": 255,
  "negative number": -129,
  "number of 32 bits": 2 ** 32 - 1,
  "number of 53 bits": Number.MAX_SAFE_INTEGER,
  "negative number of 53 bits": Number.MIN_SAFE_INTEGER,
  fraction: -1.5e-300,
  flag: false,
  null: null,
})) {
  test(`an application property that is ${kind} is received unchanged`, async () => {
    assert.deepEqual((await returned({ body: 1, applicationProperties: { value } })).applicationProperties, { value });
  });
}

test("a date property is received unchanged when the SDK skips conversion", async () => {
  const value = new Date(1_700_000_000_123);
  const message = await returned({ body: 1, applicationProperties: { value } }, { skipConvertingDate: true });
  assert.deepEqual(message.applicationProperties, { value });
});

// This SDK chooses the types of numbers. Other SDKs write these types.
const types = rhea.types;
for (const [type, [typed, expected]] of Object.entries({
  ubyte: [types.wrap_ubyte(200), 200],
  ushort: [types.wrap_ushort(60_000), 60_000],
  uint: [types.wrap_uint(4_000_000_000), 4_000_000_000],
  ulong: [types.wrap_ulong(2 ** 40), 2 ** 40],
  byte: [types.wrap_byte(-100), -100],
  short: [types.wrap_short(-30_000), -30_000],
  int: [types.wrap_int(-2_000_000_000), -2_000_000_000],
  long: [types.wrap_long(-(2 ** 40)), -(2 ** 40)],
  float: [types.wrap_float(0.25), 0.25],
  double: [types.wrap_double(0.1), 0.1],
  timestamp: [types.wrap_timestamp(1_700_000_000_000), new Date(1_700_000_000_000)],
  binary: [types.wrap_binary(Buffer.from([0, 255])), Buffer.from([0, 255])],
  symbol: [types.wrap_symbol("a-symbol"), "a-symbol"],
  uuid: [types.wrap_uuid(Buffer.alloc(16, 7)), Buffer.alloc(16, 7)],
})) {
  test(`an application property of the AMQP type ${type} is received unchanged`, async () => {
    const sent = { body: 1, applicationProperties: { value: { toRheaTyped: () => typed } } };
    assert.deepEqual((await returned(sent, { skipConvertingDate: true })).applicationProperties, { value: expected });
  });
}

for (const [kind, id] of Object.entries({ text: "m-1", number: 42, "a uuid": Buffer.from("00112233445566778899aabbccddeeff", "hex") })) {
  test(`ids that are ${kind} are received unchanged`, async () => {
    const { messageId, correlationId } = await returned({ body: 1, messageId: id, correlationId: id });
    assert.deepEqual([messageId, correlationId], [id, id]);
  });
}

for (const [kind, body, bodyType] of [
  ["null", null, "value"],
  ["a list", [1, "two", [3]], "value"],
  ["nested maps", { a: { b: [true, { c: 0.5 }] } }, "value"],
  ["text", "plain", "value"],
  ["a number", 2 ** 40, "value"],
  ["one row", [["a", 1]], "sequence"],
]) {
  test(`an AMQP ${bodyType} that is ${kind} is received unchanged`, async () => {
    const message = await returned({ body, bodyType });
    assert.deepEqual([message.body, message._rawAmqpMessage.bodyType], [body, bodyType]);
  });
}

test("an empty body is received as an empty body", async () => {
  assert.equal((await returned({ body: Buffer.alloc(0) })).body.length, 0);
});

test("a JSON body stays bytes when the SDK skips parsing", async () => {
  const message = await returned({ body: Buffer.from('{"a":1}') }, { skipParsingBodyAsJson: true });
  assert.ok(Buffer.from('{"a":1}').equals(message.body));
});

// Without a footer: this version of the SDK writes it before the body, which AMQP 1.0 does not allow.
test("every section of an annotated message is received", async () => {
  const sent = {
    body: "text",
    bodyType: "value",
    header: { durable: true, priority: 7, timeToLive: 60_000, firstAcquirer: false, deliveryCount: 5 },
    properties: {
      messageId: "m", to: "t", subject: "s", replyTo: "r", correlationId: "c", contentType: "ct", contentEncoding: "ce", groupId: "g",
      groupSequence: 3, replyToGroupId: "rg",
    },
    messageAnnotations: { "x-opt-mine": "kept", "x-opt-number": 17 },
    applicationProperties: { a: 1 },
  };
  const { _rawAmqpMessage: raw, deliveryCount, timeToLive } = await returned(sent);

  assert.deepEqual([raw.body, raw.bodyType], ["text", "value"]);
  assert.deepEqual([raw.header.durable, raw.header.priority, timeToLive], [true, 7, 60_000]);
  assert.equal(deliveryCount, 0, "the count is the broker's, whatever the sender says");
  const { creationTime, absoluteExpiryTime, ...properties } = raw.properties;
  assert.equal(absoluteExpiryTime - creationTime, 60_000);
  assert.deepEqual(properties, sent.properties);
  assert.deepEqual([raw.messageAnnotations["x-opt-mine"], raw.messageAnnotations["x-opt-number"]], ["kept", 17]);
  assert.deepEqual(raw.applicationProperties, sent.applicationProperties);
});

test("a received message can be sent again as a new message", async () => {
  const [from, to] = [await context.queue(), await context.queue()];
  await to.sender.sendMessages({ body: "ahead" });
  await from.sender.sendMessages({
    body: { a: [1] }, messageId: "m", correlationId: "c", subject: "s", contentType: "ct", applicationProperties: { n: 1 },
  });
  const receiver = from.receiver();
  await receiver.abandonMessage(await receiveOne(receiver));
  const message = await receiveOne(receiver);
  await to.sender.sendMessages(message);
  await receiver.completeMessage(message);

  const [, again] = await receiveMany(to.receiver(), 2);
  assert.deepEqual(
    [again.body, again.messageId, again.correlationId, again.subject, again.contentType, again.applicationProperties],
    [{ a: [1] }, "m", "c", "s", "ct", { n: 1 }],
  );
  assert.deepEqual([message.deliveryCount, again.deliveryCount, again.sequenceNumber.toNumber()], [1, 0, 2]);
});
