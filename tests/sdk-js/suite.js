import assert from "node:assert/strict";
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { after, afterEach, before, beforeEach, test as nodeTest } from "node:test";
import { Broker, elsewhere, eventually, isPlain } from "./broker.js";

// Tests wait for a few seconds unless the machine stalls. A hang must not block the suite.
const timeout = 180_000;

/** The maximum wait for a message or an error. Only a failing test waits this long. */
export const patience = { maxWaitTimeInMs: 60_000 };

/**
 * Starts one broker for the tests of a file, and creates a client and a queue for each test.
 * Retries are fast: here, rejections are permanent and faults are repaired immediately.
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

  /** Creates a queue and its sender. Receivers are created on request. */
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

  /** Returns when the SDK has replaced the connection. It repeats requests on the old one only after a timeout. */
  context.dropTheConnection = async () => {
    // The SDK has no public event for this.
    const { _connectionContext: connections } = context.client;
    const dropped = connections.connectionId;
    await context.broker.dropTheConnection();
    await eventually(() => assert.notEqual(connections.connectionId, dropped));
  };
  return context;
}

export const test = (name, body) => nodeTest(name, { timeout }, body);

/** A test that inspects or controls a local broker, or starts one with its own settings. */
export const localTest = (name, body) => nodeTest(name, { timeout, skip: elsewhere && "Needs a local broker." }, body);

/** Deletes entities of an external namespace after the tests. A local broker just exits. */
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

/** Corrects the scheme of addresses: this version of the SDK always uses https, regardless of the connection string. */
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

/** Receives exactly `count` messages. The SDK returns the first ones after a short delay, and the others on the next call. */
export async function receiveMany(receiver, count) {
  const received = [];
  while (received.length < count) {
    const some = await receiver.receiveMessages(count - received.length, patience);
    if (some.length === 0) throw new Error(`Expected ${count} messages, received ${received.length}.`);
    received.push(...some);
  }
  return received;
}

/** Receives exactly one message. */
export async function receiveOne(receiver) {
  const [message, ...more] = await receiver.receiveMessages(1, patience);
  if (!message || more.length > 0) throw new Error(`Expected one message, received ${message ? 1 + more.length : 0}.`);
  return message;
}

export const bodies = (messages) => messages.map((message) => message.body);
