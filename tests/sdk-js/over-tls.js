// Started by tls.test.js with CONNECTION_STRING and NODE_EXTRA_CA_CERTS: the SDK as an application uses it.
import assert from "node:assert/strict";
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";

const connectionString = process.env.CONNECTION_STRING;
const administration = new ServiceBusAdministrationClient(connectionString);
await administration.createQueue("over-tls", { lockDuration: "PT30S" });
assert.equal((await administration.getQueue("over-tls")).lockDuration, "PT30S");

const client = new ServiceBusClient(connectionString);
await client.createSender("over-tls").sendMessages({ body: "received over TLS" });
const receiver = client.createReceiver("over-tls");
const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 60_000 });
await receiver.completeMessage(message);
assert.equal((await administration.getQueueRuntimeProperties("over-tls")).totalMessageCount, 0);
console.log(message.body);
await client.close();
