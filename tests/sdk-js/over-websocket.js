// Started by tls.test.js, like over-tls.js. This SDK supports WebSockets only with TLS.
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import WebSocket from "ws";

const connectionString = process.env.CONNECTION_STRING;
await new ServiceBusAdministrationClient(connectionString).createQueue("over-websocket");
const client = new ServiceBusClient(connectionString, { webSocketOptions: { webSocket: WebSocket } });
await client.createSender("over-websocket").sendMessages({ body: "received over a WebSocket" });
const receiver = client.createReceiver("over-websocket");
const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 60_000 });
await receiver.completeMessage(message);
console.log(message.body);
await client.close();
