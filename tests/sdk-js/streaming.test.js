import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "./broker.js";
import { localTest, receiveOne, suite, test } from "./suite.js";

const context = suite();

const unexpected = (errors) => async (args) => void errors.push(args.error);

localTest("a subscription handles every message, no more at once than it said", async () => {
  const queue = await context.queue();
  const handled = [];
  const errors = [];
  const { promise: together, resolve: reached } = withResolvers();
  let now = 0;
  let most = 0;
  const subscription = queue.receiver().subscribe(
    {
      processMessage: async (message) => {
        most = Math.max(most, ++now);
        if (now === 5) reached();
        await together; // of the first five none ends before the fifth has begun
        await delay(20);
        handled.push(message.body);
        now--;
      },
      processError: unexpected(errors),
    },
    { maxConcurrentCalls: 5 },
  );
  await queue.sender.sendMessages(Array.from({ length: 60 }, (_, i) => ({ body: i })));

  await eventually(async () => assert.equal((await queue.counters()).completed, 60));
  await subscription.close();

  assert.equal(most, 5);
  assert.deepEqual(handled.toSorted((a, b) => a - b), Array.from({ length: 60 }, (_, i) => i));
  assert.deepEqual(errors, []);
});

localTest("a subscription holds no more messages than it handles", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages(Array.from({ length: 10 }, (_, i) => ({ body: i })));
  const { promise: released, resolve: release } = withResolvers();
  const subscription = queue.receiver().subscribe(
    { processMessage: () => released, processError: async () => {} },
    { maxConcurrentCalls: 3 },
  );

  await eventually(async () => assert.equal((await queue.counters()).locked, 3));
  await delay(300);
  const counters = await queue.counters();
  assert.deepEqual([counters.locked, counters.active], [3, 7]);

  release();
  await eventually(async () => assert.equal((await queue.counters()).completed, 10));
  await subscription.close();
});

localTest("a message whose handler fails comes back", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "twice" });
  const counts = [];
  const subscription = queue.receiver().subscribe({
    processMessage: async (message) => {
      counts.push(message.deliveryCount);
      if (counts.length === 1) throw new Error("first attempt");
    },
    processError: async () => {},
  });

  await eventually(async () => assert.equal((await queue.counters()).completed, 1));
  await subscription.close();

  assert.deepEqual(counts, [0, 1]);
  assert.equal((await queue.counters()).abandoned, 1);
});

localTest("the SDK renews the lock of a message while its handler works", async () => {
  const queue = await context.queue({ LockDuration: "PT16S" });
  await queue.sender.sendMessages({ body: "long" });
  const counts = [];
  const errors = [];
  const subscription = queue.receiver({ maxAutoLockRenewalDurationInMs: 60_000 }).subscribe({
    processMessage: async (message) => {
      counts.push(message.deliveryCount);
      // Half way, after 8 s: an SDK that does not renew waits here until the test is over.
      const first = message.lockedUntilUtc.getTime();
      await eventually(() => assert.ok(message.lockedUntilUtc.getTime() > first + 5000));
    },
    processError: unexpected(errors),
  });

  await eventually(async () => assert.equal((await queue.counters()).completed, 1));
  await subscription.close();

  assert.deepEqual(counts, [0]);
  assert.deepEqual(errors, []);
  assert.equal((await queue.counters()).expiredLocks, 0);
});

test("a handler may settle by itself", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "bad" });
  const receiver = queue.receiver();
  const errors = [];
  const subscription = receiver.subscribe(
    { processMessage: (message) => receiver.deadLetterMessage(message, { deadLetterReason: "mine" }), processError: unexpected(errors) },
    { autoCompleteMessages: false },
  );

  assert.equal((await receiveOne(queue.deadLetters())).deadLetterReason, "mine");
  await subscription.close();
  assert.deepEqual(errors, []);
});

localTest("two subscriptions share the messages of a queue", async () => {
  const queue = await context.queue();
  const handled = [0, 0];
  const subscriptions = handled.map((_, i) =>
    queue.receiver().subscribe({
      processMessage: async () => {
        handled[i]++;
        await delay(10);
      },
      processError: async () => {},
    }, { maxConcurrentCalls: 2 }),
  );
  await eventually(async () => assert.deepEqual((await queue.counters()).links.map(({ credit }) => credit), [2, 2]));
  await queue.sender.sendMessages(Array.from({ length: 40 }, (_, i) => ({ body: i })));

  await eventually(async () => assert.equal((await queue.counters()).completed, 40));
  await Promise.all(subscriptions.map((subscription) => subscription.close()));

  assert.equal(handled[0] + handled[1], 40);
  assert.ok(Math.min(...handled) >= 10, `${handled}`);
});

test("a subscription to the dead letters gets what is dead-lettered", async () => {
  const queue = await context.queue();
  const dead = [];
  const subscription = queue.deadLetters().subscribe({
    processMessage: async (message) => void dead.push(message.deadLetterReason),
    processError: async () => {},
  });
  await queue.sender.sendMessages({ body: "bad" });
  const receiver = queue.receiver();

  await receiver.deadLetterMessage(await receiveOne(receiver), { deadLetterReason: "why" });

  await eventually(() => assert.deepEqual(dead, ["why"]));
  await subscription.close();
});

// Node 20 has no Promise.withResolvers.
function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

localTest("one message after the other is handled in their order", async () => {
  const queue = await context.queue();
  const handled = [];
  const subscription = queue.receiver().subscribe(
    { processMessage: async (message) => void handled.push(message.body), processError: async () => {} },
    { maxConcurrentCalls: 1 },
  );
  await queue.sender.sendMessages(Array.from({ length: 30 }, (_, i) => ({ body: i })));

  await eventually(async () => assert.equal((await queue.counters()).completed, 30));
  await subscription.close();
  assert.deepEqual(handled, Array.from({ length: 30 }, (_, i) => i));
});

localTest("what is received and deleted is handled once, even if its handler fails", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages([{ body: 1 }, { body: 2 }]);
  const handled = [];
  const subscription = queue.receiver({ receiveMode: "receiveAndDelete" }).subscribe({
    processMessage: async (message) => {
      handled.push(message.body);
      throw new Error("failed");
    },
    processError: async () => {},
  });

  await eventually(() => assert.equal(handled.length, 2));
  await subscription.close();
  await eventually(async () => {
    const { completed, active, locked } = await queue.counters();
    assert.deepEqual([handled, completed, active, locked], [[1, 2], 2, 0, 0]);
  });
});

localTest("a subscription that is closed takes no more messages", async () => {
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

test("a subscription to a queue that is not there hears of it", async () => {
  const errors = [];
  const subscription = context.client.createReceiver("no-such-queue").subscribe({
    processMessage: async () => {}, processError: async (args) => void errors.push([args.error.code, args.entityPath]),
  });

  await eventually(() => assert.deepEqual(errors[0], ["MessagingEntityNotFound", "no-such-queue"]));
  await subscription.close();
});

localTest("a subscription that does not complete leaves messages locked", async () => {
  const queue = await context.queue();
  const { promise: handled, resolve } = withResolvers();
  const subscription = queue.receiver().subscribe(
    { processMessage: async () => resolve(), processError: async () => {} },
    { autoCompleteMessages: false },
  );
  await queue.sender.sendMessages({ body: 1 });
  await handled;
  await subscription.close();

  const { locked, completed } = await queue.counters();
  assert.deepEqual([locked, completed], [1, 0]);
});
