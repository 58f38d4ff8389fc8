import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const built = (project) => fileURLToPath(new URL(`../../artifacts/bin/${project}/release/DroneDelivery.${project}.dll`, import.meta.url));
const brokerDll = process.env.SERVICE_BUS_DLL ?? built("ServiceBus");
const clockedBrokerDll = built("ClockedBroker");

/** An endpoint instead of the local broker: the official emulator or an Azure namespace. The emulator's management API has another address. */
export const elsewhere = process.env.SERVICEBUS_CONNECTION_STRING;
const management = process.env.SERVICEBUS_ADMIN_CONNECTION_STRING;

/** A separate broker process on a free port, with its management API through fetch, or the endpoint in `elsewhere`. */
export class Broker {
  #process;
  #created = [];

  /** @param options additional arguments of the process */
  static start(...options) {
    return Broker.#launch(brokerDll, "local/ServiceBus", ["--port", "0", ...options]);
  }

  /** Starts a broker whose clock only changes with `advance`. */
  static startClocked() {
    return Broker.#launch(clockedBrokerDll, "tests/ClockedBroker", []);
  }

  static async #launch(dll, project, options) {
    if (elsewhere) return Object.assign(new Broker(), { connectionString: elsewhere, address: addressOf(management ?? elsewhere) });
    if (!existsSync(dll)) throw new Error(`${dll} doesn't exist. Run \`dotnet build ${project} -c Release\`, or set SERVICE_BUS_DLL.`);
    const broker = new Broker();
    broker.#process = spawn("dotnet", [dll, ...options], { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of createInterface(broker.#process.stdout)) {
      const [, connectionString] = line.match(/(Endpoint=\S+)/) ?? [];
      if (connectionString) {
        broker.connectionString = connectionString;
        broker.address = addressOf(connectionString);
        // Empties the pipe, so that the broker never blocks on its log.
        broker.#process.stdout.resume();
        return broker;
      }
    }
    throw new Error("The broker ended before it listened.");
  }

  async stop() {
    if (elsewhere) await Promise.allSettled(this.#created.map((name) => this.#manage(name, { method: "DELETE" })));
    if (!this.#process || this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
  }

  /** Advances the clock and returns when all timers that became due have run. */
  async advance(seconds) {
    const advanced = once(this.#process.stdout, "data");
    this.#process.stdin.write(`${seconds}\n`);
    await advanced;
  }

  /** @param properties elements of a QueueDescription in the service's order, such as { LockDuration: "PT5S" } */
  async createQueue(properties = {}, name = `queue-${randomUUID()}`) {
    this.#created.push(name);
    assert.equal(await this.#describe(name, properties), 201);
    return name;
  }

  async updateQueue(name, properties) {
    assert.equal(await this.#describe(name, properties, { "if-match": "*" }), 200);
  }

  async counters(queue) {
    return (await this.#local("$counters")).queues[queue];
  }

  /** Returns the client's only connection, once the broker has closed those of earlier tests. */
  async dropTheConnection() {
    await eventually(async () => assert.equal((await this.#local("$counters")).connections, 1));
    assert.equal((await this.#local("$connections/drop", { method: "POST" })).dropped, 1);
  }

  async #local(path, request) {
    return (await fetch(`${this.address}/${path}`, request)).json();
  }

  async #describe(name, properties, headers) {
    const elements = Object.entries(properties).map(([key, value]) => `<${key}>${value}</${key}>`);
    const response = await this.#manage(name, {
      method: "PUT",
      headers: { "content-type": "application/atom+xml", ...headers },
      body: `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">
        <QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">${elements.join("")}</QueueDescription>
        </content></entry>`,
    });
    return response.status;
  }

  #manage(name, { headers, ...request }) {
    const authorization = tokenFor(management ?? this.connectionString, `${this.address}/`);
    // The other two parameters are for the forwarding destination.
    const rights = { authorization, servicebussupplementaryauthorization: authorization, servicebusdlqsupplementaryauthorization: authorization };
    return fetch(`${this.address}/${name}?api-version=2021-05`, { ...request, headers: { ...headers, ...rights } });
  }
}

const part = (connectionString, name) => connectionString.match(new RegExp(`${name}=([^;]+)`))[1];

/** Returns whether the connection string requires no TLS. */
export const isPlain = (connectionString) => /UseDevelopmentEmulator=true/i.test(connectionString);

const addressOf = (connectionString) =>
  part(connectionString, "Endpoint").replace(/^sb:/, isPlain(connectionString) ? "http:" : "https:").replace(/\/$/, "");

function tokenFor(connectionString, url) {
  const resource = encodeURIComponent(url), expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", part(connectionString, "SharedAccessKey")).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${part(connectionString, "SharedAccessKeyName")}`;
}

/** Repeats an assertion until it holds, because some effects follow a call with a delay. Only a failing assertion waits for all attempts. */
export async function eventually(assertion, withinMs = 60_000) {
  for (const end = Date.now() + withinMs; ; await delay(50)) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
