import assert from "node:assert/strict";
import { bodies, patience, suite, test } from "./suite.js";

const context = suite();
const topic = "filtered";
let created = 0;
let administration;

/** The last message of each test. Its own rule matches it, so no test must wait to see that no other message follows. */
const end = { body: "end", correlationId: "end of the test" };

/** Creates a subscription with this rule and one for the last message. */
async function subscriptionWith(filter, action) {
  if (!administration) {
    administration = context.administration();
    await administration.createTopic(topic);
  }
  const name = `subscription-${++created}`;
  await administration.createSubscription(topic, name, { defaultRuleOptions: { name: "tested", filter, action } });
  await administration.createRule(topic, name, "end", { correlationId: end.correlationId });
  return name;
}

/** @param count the number of matching messages: with one more, the end isn't last; with one less, it isn't received */
async function passed(subscription, messages, count) {
  await context.client.createSender(topic).sendMessages([...messages, end]);
  const receiver = context.client.createReceiver(topic, subscription, { receiveMode: "receiveAndDelete" });
  const received = [];
  while (received.length <= count) {
    const some = await receiver.receiveMessages(count + 1 - received.length, patience);
    assert.ok(some.length > 0, `${received.length - 1} of ${count} have passed: ${bodies(received)}`);
    received.push(...some);
  }
  assert.equal(received.pop().body, end.body);
  await administration.deleteSubscription(topic, subscription);
  return received;
}

const withProperties = (body, applicationProperties) => ({ body, applicationProperties });

const goods = [
  withProperties("red", { color: "red", size: 1, weight: 0.5, sold: true, "two words": "x" }),
  withProperties("blue", { color: "blue", size: 5, weight: 2.25, sold: false, path: "50%_off" }),
  withProperties("green", { color: "green", size: -3, weight: 10, sold: false, path: "50 off" }),
  withProperties("bare", {}),
];

for (const [expression, expected] of [
  ["weight > 2.2 AND weight < 2.3", "blue"],
  ["size % 2 = 1", "red blue"],
  ["sold = TRUE", "red"],
  ["color LIKE '%re%'", "red green"],
  ["color IS NULL", "bare"],
  ["EXISTS(path)", "blue green"],
  ["color = 'red' OR color = 'blue' AND size > 100", "red"],
  ["[two words] = 'x'", "red"],
  ['"two words" = \'x\'', "red"],
  ["property('two words') = 'x'", "red"],
  ["size = 5e0", "blue"],
  ["1=0", ""],
]) {
  test(`the filter ${expression} matches ${expected || "nothing"}`, async () => {
    const subscription = await subscriptionWith({ sqlExpression: expression });
    const wanted = expected === "" ? [] : expected.split(" ");
    // The last message has no properties either, but a matching rule without action creates no second copy of it.
    assert.deepEqual(bodies(await passed(subscription, goods, wanted.length)), wanted);
  });
}

const letter = {
  messageId: "m-1", correlationId: "c-1", subject: "s-1", to: "t-1", replyTo: "r-1", sessionId: "g-1", replyToSessionId: "rg-1",
  contentType: "text/plain",
};

for (const [property, name] of Object.entries({
  messageId: "MessageId", correlationId: "CorrelationId", subject: "Label", to: "To", replyTo: "ReplyTo", sessionId: "SessionId",
  replyToSessionId: "ReplyToSessionId", contentType: "ContentType",
})) {
  const messages = [
    { body: "the same", ...letter },
    { body: "another", ...letter, [property]: "other" },
    { body: "without" },
  ];

  test(`a SQL filter reads sys.${name}`, async () => {
    const subscription = await subscriptionWith({ sqlExpression: `sys.${name} = '${letter[property]}'` });
    assert.deepEqual(bodies(await passed(subscription, messages, 1)), ["the same"]);
  });

  test(`a correlation filter compares ${property}`, async () => {
    const subscription = await subscriptionWith({ [property]: letter[property] });
    assert.deepEqual(bodies(await passed(subscription, messages, 1)), ["the same"]);
  });
}

for (const [kind, [value, others]] of Object.entries({
  text: ["a", ["A", "ab", ""]],
  "whole number": [7, [8, -7, 7.5]],
  "fraction": [0.5, [0.25, 5]],
  flag: [true, [false]],
  date: [new Date("2030-01-01T00:00:00Z"), [new Date("2030-01-01T00:00:01Z")]],
})) {
  test(`a correlation filter compares an application property that is a ${kind}`, async () => {
    const subscription = await subscriptionWith({ applicationProperties: { key: value } });
    const messages = [value, ...others].map((key, i) => withProperties(i, { key })).concat({ body: "without" });
    assert.deepEqual(bodies(await passed(subscription, messages, 1)), [0]);
  });
}

for (const [action, expected] of [
  ["SET added = 'x'", { color: "red", size: 2, added: "x" }],
  ["SET color = 'pink'", { color: "pink", size: 2 }],
  ["SET size = size * 10 + 1", { color: "red", size: 21 }],
  ["SET copy = sys.MessageId", { color: "red", size: 2, copy: "m-1" }],
  ["SET flag = TRUE; SET part = 0.5", { color: "red", size: 2, flag: true, part: 0.5 }],
  ["REMOVE size", { color: "red" }],
  ["REMOVE absent", { color: "red", size: 2 }],
  ["SET a = color; REMOVE color; SET b = a", { size: 2, a: "red", b: "red" }],
]) {
  test(`the action ${action} changes the message`, async () => {
    const subscription = await subscriptionWith({ subject: "changed" }, { sqlExpression: action });
    const sent = { body: { kept: true }, subject: "changed", messageId: "m-1", applicationProperties: { color: "red", size: 2 } };
    const [message] = await passed(subscription, [sent], 1);

    const { RuleName, ...properties } = message.applicationProperties;
    assert.deepEqual([RuleName, properties, message.body, message.messageId], ["tested", expected, { kept: true }, "m-1"]);
  });
}

for (const [name, property] of Object.entries({
  MessageId: "messageId", CorrelationId: "correlationId", Label: "subject", To: "to", ReplyTo: "replyTo",
  ReplyToSessionId: "replyToSessionId", ContentType: "contentType",
})) {
  test(`an action sets sys.${name}`, async () => {
    const action = { sqlExpression: `SET sys.${name} = 'by the rule'` };
    const subscription = await subscriptionWith({ sqlExpression: "which = 'changed'" }, action);
    const [message] = await passed(subscription, [{ body: 1, ...letter, applicationProperties: { which: "changed" } }], 1);

    assert.deepEqual({ ...letter, [property]: "by the rule" }, Object.fromEntries(Object.keys(letter).map((key) => [key, message[key]])));
  });
}
