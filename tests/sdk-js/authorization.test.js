import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import { after, afterEach, before } from "node:test";
import { Broker } from "./broker.js";
import { patience, localTest as test } from "./suite.js";

const rules = ["Listen", "Send", "Manage"].map((right) => ({ Name: right.toLowerCase(), Key: `${right}-key`, Rights: [right] }));
const config = { UserConfig: { Namespaces: [{ Queues: [{ Name: "orders" }], AuthorizationRules: rules }] } };

let broker, folder;
const clients = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sdk-js-rules-"));
  await writeFile(join(folder, "Config.json"), JSON.stringify(config));
  broker = await Broker.start("--config", join(folder, "Config.json"));
});
after(async () => {
  await broker?.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

const withKey = (name, key) => broker.connectionString.replace(/SharedAccessKeyName=[^;]*;SharedAccessKey=[^;]*/, `SharedAccessKeyName=${name};SharedAccessKey=${key}`);

function clientWith(connectionString) {
  const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: 60_000 } });
  clients.push(client);
  return client;
}

const unauthorized = { code: "UnauthorizedAccess" };

test("a rule with Send only allows sending", async () => {
  const client = clientWith(withKey("send", "Send-key"));
  const sender = client.createSender("orders");
  await sender.sendMessages({ body: 1 });
  await sender.scheduleMessages({ body: 2 }, new Date(Date.now() + 3_600_000));
  await assert.rejects(client.createReceiver("orders").receiveMessages(1, patience), unauthorized);
});

test("a rule with Listen only allows receiving and peeking", async () => {
  await clientWith(withKey("send", "Send-key")).createSender("orders").sendMessages({ body: 1 });
  const client = clientWith(withKey("listen", "Listen-key"));
  const receiver = client.createReceiver("orders");
  assert.ok((await receiver.peekMessages(1)).length === 1);
  const [message] = await receiver.receiveMessages(1, patience);
  await receiver.completeMessage(message);
  await assert.rejects(client.createSender("orders").sendMessages({ body: 1 }), unauthorized);
});

test("a SAS token is valid for its entity until it expires", async () => {
  const host = broker.connectionString.match(/sb:\/\/([^;]+)/)[1];
  const resource = encodeURIComponent(`sb://${host}/orders`);
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", "Send-key").update(`${resource}\n${expiry}`).digest("base64");
  const token = `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=send`;
  const connect = (token) => clientWith(`Endpoint=sb://${host};SharedAccessSignature=${token};UseDevelopmentEmulator=true`);
  await connect(token).createSender("orders").sendMessages({ body: 1 });
  await assert.rejects(connect(token.replace("orders", "other")).createSender("orders").sendMessages({ body: 1 }), unauthorized);
  await assert.rejects(connect(token.replace(/se=\d+/, "se=1")).createSender("orders").sendMessages({ body: 1 }), unauthorized);
});
