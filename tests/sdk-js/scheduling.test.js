import assert from "node:assert/strict";
import { localTest, receiveOne, suite, test } from "./suite.js";

const context = suite();

// What a test looks at before it is due: no machine stands still for so long.
const inAnHour = () => new Date(Date.now() + 3_600_000);

/** A queue whose connections are open: opening them takes seconds on a busy machine, and these tests have an eye on the clock. */
async function openQueue() {
  const queue = await context.queue();
  const receiver = queue.receiver();
  await receiver.peekMessages(1);
  const [number] = await queue.sender.scheduleMessages({ body: "never" }, inAnHour());
  await queue.sender.cancelScheduledMessages(number);
  return { ...queue, receiver };
}

localTest("a scheduled message arrives when it is due, not before", async () => {
  const { sender, receiver, counters } = await openQueue();
  const [number] = await sender.scheduleMessages({ body: "much later" }, inAnHour());

  const [peeked] = await receiver.peekMessages(1);
  assert.equal(peeked.state, "scheduled");
  assert.equal(peeked.sequenceNumber.toNumber(), number.toNumber());
  assert.equal((await counters()).scheduled, 1);
  const due = new Date(Date.now() + 2000);
  await sender.scheduleMessages({ body: "later" }, due);
  const message = await receiveOne(receiver);

  assert.equal(message.body, "later");
  // The SDK's own clock and the broker's are one here.
  assert.ok(Date.now() >= due.getTime(), `${due.getTime() - Date.now()} ms too early`);
  assert.equal(message.state, "active");
});

localTest("the due time can travel in the message itself", async () => {
  const queue = await context.queue();
  await queue.sender.sendMessages({ body: "later", scheduledEnqueueTimeUtc: inAnHour() });

  assert.equal((await queue.counters()).scheduled, 1);
  assert.equal((await queue.receiver().peekMessages(1))[0].state, "scheduled");
});

localTest("several messages are scheduled together and some of them cancelled", async () => {
  const { sender, receiver, counters } = await openQueue();
  const numbers = await sender.scheduleMessages([{ body: "a" }, { body: "b" }, { body: "c" }], inAnHour());
  assert.equal(new Set(numbers.map((number) => number.toNumber())).size, 3);

  await sender.cancelScheduledMessages([numbers[0], numbers[2]]);

  const peeked = await receiver.peekMessages(10);
  assert.deepEqual(peeked.map(({ body, state }) => [body, state]), [["b", "scheduled"]]);
  assert.equal((await counters()).scheduled, 1);
});

test("cancelling what is not scheduled is an error", async () => {
  const queue = await context.queue();
  const [number] = await queue.sender.scheduleMessages({ body: "a" }, inAnHour());
  await queue.sender.cancelScheduledMessages(number);

  await assert.rejects(queue.sender.cancelScheduledMessages(number), { code: "MessageNotFound" });
});

test("messages come in the order in which they are due", async () => {
  const { sender, receiver } = await openQueue();
  const now = Date.now();
  // Both are scheduled before one of them is due.
  await sender.scheduleMessages({ body: "second" }, new Date(now + 4500));
  await sender.scheduleMessages({ body: "first" }, new Date(now + 4000));

  assert.deepEqual([(await receiveOne(receiver)).body, (await receiveOne(receiver)).body], ["first", "second"]);
});

test("a message that was due in the past comes at once", async () => {
  const { sender, receiver } = await openQueue();
  await sender.scheduleMessages({ body: "late" }, new Date(Date.now() - 60_000));

  assert.equal((await receiveOne(receiver)).body, "late");
});

test("a scheduled message tells when it is due, and lives from then on", async () => {
  const queue = await context.queue();
  const due = inAnHour();
  await queue.sender.scheduleMessages({ body: 1, timeToLive: 60_000 }, due);

  const [peeked] = await queue.receiver().peekMessages(1);
  assert.deepEqual([new Date(peeked.scheduledEnqueueTimeUtc), peeked.timeToLive], [due, 60_000]);
});

localTest("if one of several numbers is not scheduled none is cancelled", async () => {
  const queue = await context.queue();
  const numbers = await queue.sender.scheduleMessages([{ body: 1 }, { body: 2 }], inAnHour());

  await assert.rejects(queue.sender.cancelScheduledMessages([numbers[0], numbers[1].add(100)]), { code: "MessageNotFound" });
  assert.equal((await queue.counters()).scheduled, 2);
});
