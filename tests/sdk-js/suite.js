import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { after, afterEach, before, beforeEach, test as nodeTest } from "node:test";
import { Broker } from "./broker.js";

// No test waits for longer than a few seconds; a hang must not stop the suite.
const timeout = 60_000;

/**
 * One broker for the tests of a file, one client and one queue for each test.
 * Fast retries: what is refused here is refused for good, and what is broken is mended at once.
 */
export function suite() {
  const context = { broker: undefined, client: undefined };
  before(async () => (context.broker = await Broker.start()));
  after(() => context.broker?.stop());
  beforeEach(() => {
    context.client = new ServiceBusClient(context.broker.connectionString, {
      retryOptions: { retryDelayInMs: 100, maxRetries: 3, timeoutInMs: 10_000 },
    });
  });
  afterEach(() => context.client.close());

  context.administration = () => administrationOf(context.broker.connectionString);

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
  return context;
}

export const test = (name, body) => nodeTest(name, { timeout }, body);

/** This version of the SDK writes https into every address, whatever the connection string says; a policy puts that right. */
export function administrationOf(connectionString, options) {
  const client = new ServiceBusAdministrationClient(connectionString, options);
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

/** Exactly one message, or the test fails. */
export async function receiveOne(receiver, maxWaitTimeInMs = 10_000) {
  const [message, ...more] = await receiver.receiveMessages(1, { maxWaitTimeInMs });
  if (!message || more.length > 0) throw new Error(`Expected one message, received ${message ? 1 + more.length : 0}.`);
  return message;
}

export const bodies = (messages) => messages.map((message) => message.body);
