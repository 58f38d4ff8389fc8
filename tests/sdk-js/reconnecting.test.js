import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "./broker.js";
import { localTest, receiveOne, suite } from "./suite.js";

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
