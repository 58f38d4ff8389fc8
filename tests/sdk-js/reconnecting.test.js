import assert from "node:assert/strict";
import { Broker, eventually } from "./broker.js";
import { localTest, receiveOne, suite } from "./suite.js";

const context = suite(Broker.startClocked);

localTest("a sender and a receiver reconnect after their connections drop", async () => {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await queue.sender.sendMessages({ body: "before" });
  await receiver.completeMessage(await receiveOne(receiver));

  await context.dropTheConnection();

  await queue.sender.sendMessages({ body: "after" });
  const message = await receiveOne(receiver);
  assert.equal(message.body, "after");
  await receiver.completeMessage(message);
  assert.equal((await queue.counters()).completed, 2);
});

localTest("a subscription reconnects after its connection drops without losing messages", async () => {
  const queue = await context.queue({ LockDuration: "PT1M" });
  const handled = new Set();
  const subscription = queue.receiver().subscribe(
    { processMessage: async (message) => void handled.add(message.body), processError: async () => {} },
    { maxConcurrentCalls: 4 },
  );
  const send = async (from) => queue.sender.sendMessages(Array.from({ length: 20 }, (_, i) => ({ body: from + i })));
  await send(0);
  await eventually(() => assert.equal(handled.size, 20));

  await context.dropTheConnection();
  await context.broker.advance(61); // Expires the locks of messages whose completion was lost with the connection.
  await send(20);

  await eventually(async () => assert.equal((await queue.counters()).completed, 40));
  assert.equal(handled.size, 40);
  await subscription.close();
});

localTest("a session of a dropped connection can be accepted again", async () => {
  const queue = await context.queue({ RequiresSession: true });
  await queue.sender.sendMessages({ body: 1, sessionId: "a" });
  await receiveOne(await context.client.acceptSession(queue.name, "a"));
  await context.dropTheConnection();

  const again = await eventually(() => context.client.acceptSession(queue.name, "a"));
  assert.equal((await receiveOne(again)).body, 1);
});
