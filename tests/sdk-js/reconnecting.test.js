import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "./broker.js";
import { bodies, localTest, receiveOne, suite } from "./suite.js";

const context = suite();

// What the SDK sends into a connection before it has noticed its end, it repeats only when its time-out is over.
const noticed = () => delay(200);

localTest("a sender and a receiver go on after their connections were dropped", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await queue.sender.sendMessages({ body: "before" });
  await receiver.completeMessage(await receiveOne(receiver));

  await context.broker.dropTheConnection();

  await queue.sender.sendMessages({ body: "after" });
  const message = await receiveOne(receiver);
  assert.equal(message.body, "after");
  await receiver.completeMessage(message);
  assert.equal((await queue.counters()).completed, 2);
});

localTest("a subscription goes on after its connection was dropped, and nothing is lost", async () => {
  const queue = await context.queue({ LockDuration: "PT5S" });
  const handled = new Set();
  const subscription = queue.receiver().subscribe(
    { processMessage: async (message) => void handled.add(message.body), processError: async () => {} },
    { maxConcurrentCalls: 4 },
  );
  const send = async (from) => queue.sender.sendMessages(Array.from({ length: 20 }, (_, i) => ({ body: from + i })));
  await send(0);
  await eventually(() => assert.equal(handled.size, 20));

  await context.broker.dropTheConnection();
  await noticed();
  await send(20);

  await eventually(async () => assert.equal((await queue.counters()).completed, 40));
  assert.equal(handled.size, 40);
  await subscription.close();
});

localTest("a message locked on a connection that was dropped can still be settled: the lock outlives the link", async () => {
  const queue = await context.queue({ LockDuration: "PT30S" });
  await queue.sender.sendMessages({ body: "held" });
  const receiver = queue.receiver();
  const message = await receiveOne(receiver);

  await context.broker.dropTheConnection();
  await noticed();

  await receiver.completeMessage(message);
  const counters = await queue.counters();
  assert.deepEqual([counters.completed, counters.locked], [1, 0]);
});

localTest("closing a receiver leaves its locked messages locked", async () => {
  const queue = await context.queue({ LockDuration: "PT5S" });
  await queue.sender.sendMessages({ body: "held" });
  const first = queue.receiver();
  const held = await receiveOne(first);
  await first.close();
  assert.equal((await queue.counters()).locked, 1);

  const again = await receiveOne(queue.receiver());

  assert.ok(Date.now() >= held.lockedUntilUtc.getTime(), "the message came back before its lock had ended");
  assert.equal(again.deliveryCount, 1);
});

localTest("a peek and a schedule go on after their connection was dropped", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  const later = new Date(Date.now() + 3_600_000);
  await queue.sender.scheduleMessages({ body: 1 }, later);
  assert.equal((await receiver.peekMessages(1)).length, 1);

  await context.broker.dropTheConnection();
  await noticed();

  await queue.sender.scheduleMessages({ body: 2 }, later);
  assert.deepEqual(bodies(await receiver.peekMessages(1)), [2]);
});

localTest("a rule manager goes on after its connection was dropped", async () => {
  const admin = context.administration();
  await admin.createTopic("ruled");
  await admin.createSubscription("ruled", "one");
  const manager = context.client.createRuleManager("ruled", "one");
  await manager.createRule("first", { sqlExpression: "1=0" });

  await context.broker.dropTheConnection();
  await noticed();

  await manager.createRule("second", { sqlExpression: "1=0" });
  assert.equal(await admin.ruleExists("ruled", "one", "second"), true);
});
