import assert from "node:assert/strict";
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { after, afterEach, before, beforeEach, test as nodeTest } from "node:test";
import { Broker, elsewhere, eventually, isPlain } from "./broker.js";

// No test waits for longer than a few seconds, unless the machine stands still meanwhile; a hang must not stop the suite.
const timeout = 180_000;

/** So long may it take until a message comes, or a refusal; only a test that fails waits for all of it. */
export const patience = { maxWaitTimeInMs: 60_000 };

/**
 * One broker for the tests of a file, one client and one queue for each test.
 * Fast retries: what is refused here is refused for good, and what is broken is mended at once.
 */
export function suite(start = Broker.start) {
  const context = { broker: undefined, client: undefined };
  before(async () => (context.broker = await start()));
  after(() => context.broker?.stop());
  beforeEach(() => {
    context.client = new ServiceBusClient(context.broker.connectionString, {
      retryOptions: { retryDelayInMs: 100, maxRetries: 3, timeoutInMs: 60_000 },
    });
  });
  afterEach(() => context.client.close());

  context.administration = () => recorded(administrationOf(process.env.SERVICEBUS_ADMIN_CONNECTION_STRING ?? context.broker.connectionString));

  /** A sender and a receiver on a queue of their own; the receiver is made when it is first asked for. */
  context.queue = async (properties) => {
    const name = await context.broker.createQueue(properties);
    return {
      name,
      sender: context.client.createSender(name),
      receiver: (options) => context.client.createReceiver(name, options),
      deadLetters: () => context.client.createReceiver(name, { subQueueType: "deadLetter" }),
      counters: () => context.broker.counters(name),
    };
  };

  /** Returns when the SDK has replaced the connection: what it sends on the old one, it repeats only after its timeout. */
  context.dropTheConnection = async () => {
    // The SDK has no public event for it.
    const { _connectionContext: connections } = context.client;
    const dropped = connections.connectionId;
    await context.broker.dropTheConnection();
    await eventually(() => assert.notEqual(connections.connectionId, dropped));
  };
  return context;
}

export const test = (name, body) => nodeTest(name, { timeout }, body);

/** A test that looks into a local broker, does something to it, or starts one with settings of its own. */
export const localTest = (name, body) => nodeTest(name, { timeout, skip: elsewhere && "Needs a local broker." }, body);

/** What is created elsewhere is deleted after the tests; a local broker ends. */
function recorded(client) {
  for (const kind of elsewhere ? ["Queue", "Topic"] : []) {
    const create = client[`create${kind}`].bind(client);
    client[`create${kind}`] = (name, ...options) => {
      created.push(() => client[`delete${kind}`](name));
      return create(name, ...options);
    };
  }
  return client;
}

const created = [];
after(() => Promise.allSettled(created.map((remove) => remove())));

/** This version of the SDK writes https into every address, whatever the connection string says; a policy puts that right. */
export function administrationOf(connectionString, options) {
  const client = new ServiceBusAdministrationClient(connectionString, options);
  if (!isPlain(connectionString)) return client;
  client.pipeline.addPolicy({
    name: "plainHttp",
    sendRequest: (request, next) => {
      request.url = request.url.replace("https://", "http://");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
  return client;
}

/** So many messages, or the test fails. The SDK gives what it has a moment after the first, and the others when it is asked again. */
export async function receiveMany(receiver, count) {
  const received = [];
  while (received.length < count) {
    const some = await receiver.receiveMessages(count - received.length, patience);
    if (some.length === 0) throw new Error(`Expected ${count} messages, received ${received.length}.`);
    received.push(...some);
  }
  return received;
}

/** Exactly one message, or the test fails. */
export async function receiveOne(receiver) {
  const [message, ...more] = await receiver.receiveMessages(1, patience);
  if (!message || more.length > 0) throw new Error(`Expected one message, received ${message ? 1 + more.length : 0}.`);
  return message;
}

export const bodies = (messages) => messages.map((message) => message.body);
