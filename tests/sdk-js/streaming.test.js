import assert from "node:assert/strict";
import { eventually } from "./broker.js";
import { localTest, receiveOne, suite } from "./suite.js";

const context = suite();

localTest("a subscription handles every message with the requested concurrency", async () => {
  const queue = await context.queue();
  const [handled, errors] = [[], []];
  let release;
  const released = new Promise((resolve) => (release = resolve));
  let now = 0;
  let most = 0;
  const subscription = queue.receiver().subscribe(
    {
      processMessage: async (message) => {
        most = Math.max(most, ++now);
        await released;
        handled.push(message.body);
        now--;
      },
      processError: async ({ error }) => void errors.push(error),
    },
    { maxConcurrentCalls: 5 },
  );
  await queue.sender.sendMessages(Array.from({ length: 60 }, (_, i) => ({ body: i })));
  await eventually(() => assert.equal(now, 5));
  const { locked, active } = await queue.counters();
  assert.deepEqual([locked, active], [5, 55]);
  release();

  await eventually(async () => assert.equal((await queue.counters()).completed, 60));
  await subscription.close();

  assert.equal(most, 5);
  assert.deepEqual(handled.toSorted((a, b) => a - b), Array.from({ length: 60 }, (_, i) => i));
  assert.deepEqual(errors, []);
});

localTest("a closed subscription receives no more messages", async () => {
  const queue = await context.queue();
  const handled = [];
  const subscription = queue.receiver().subscribe({
    processMessage: async (message) => void handled.push(message.body), processError: async () => {},
  });
  await queue.sender.sendMessages({ body: 1 });
  await eventually(async () => assert.equal((await queue.counters()).completed, 1));
  await subscription.close();
  await queue.sender.sendMessages({ body: 2 });

  const message = await receiveOne(queue.receiver());
  assert.deepEqual([handled, message.body, message.deliveryCount], [[1], 2, 0]);
});
