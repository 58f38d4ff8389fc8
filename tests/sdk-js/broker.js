import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const dll =
  process.env.SERVICE_BUS_DLL ??
  fileURLToPath(new URL("../../artifacts/bin/ServiceBus/release/DroneDelivery.ServiceBus.dll", import.meta.url));

/** A broker process of its own, on a free port, and its management API through plain fetch. */
export class Broker {
  #process;
  #created = 0;

  /** @param options further arguments of the process */
  static async start(...options) {
    if (!existsSync(dll)) {
      throw new Error(`${dll} is not there: run \`dotnet build local/ServiceBus -c Release\`, or set SERVICE_BUS_DLL.`);
    }
    const broker = new Broker();
    broker.#process = spawn("dotnet", [dll, "--port", "0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(broker.#process.stdout)) {
      const [, connectionString] = line.match(/(Endpoint=\S+)/) ?? [];
      if (connectionString) {
        broker.connectionString = connectionString;
        broker.address = connectionString.match(/sb:\/\/([^;]+)/)[1].replace(/^/, options.includes("--tls") ? "https://" : "http://");
        // Keeps the pipe empty, so that the broker never waits for a reader of its log.
        broker.#process.stdout.resume();
        return broker;
      }
    }
    throw new Error("The broker ended before it listened.");
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
  }

  /** @param properties elements of a QueueDescription in the service's order, such as { LockDuration: "PT5S" } */
  async createQueue(properties = {}) {
    const name = `queue-${++this.#created}`;
    const elements = Object.entries(properties).map(([key, value]) => `<${key}>${value}</${key}>`);
    const response = await fetch(`${this.address}/${name}`, {
      method: "PUT",
      headers: { authorization: `Basic ${btoa("RootManageSharedAccessKey:SAS_KEY_VALUE")}` },
      body: `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">
        <QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">${elements.join("")}</QueueDescription>
        </content></entry>`,
    });
    assert.equal(response.status, 201, await response.text());
    return name;
  }

  async counters(queue) {
    const response = await fetch(`${this.address}/$counters`);
    return (await response.json()).queues[queue];
  }

  async dropConnections() {
    const response = await fetch(`${this.address}/$connections/drop`, { method: "POST" });
    return (await response.json()).dropped;
  }

  /** The one connection of the client, once the broker knows that those of earlier tests are closed. */
  async dropTheConnection() {
    await eventually(async () => {
      const response = await fetch(`${this.address}/$counters`);
      assert.equal((await response.json()).connections, 1);
    });
    assert.equal(await this.dropConnections(), 1);
  }
}

/** Repeats an assertion until it holds: some effects follow a moment after the call that causes them. Only what fails waits so long. */
export async function eventually(assertion, withinMs = 60_000) {
  for (const end = Date.now() + withinMs; ; await delay(50)) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
