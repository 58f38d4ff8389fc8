import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { Broker } from "./broker.js";
import { localTest as test } from "./suite.js";

let broker, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sdk-js-tls-"));
  broker = await Broker.start("--tls", "--data", folder);
});
after(async () => {
  await broker?.stop();
  await rm(folder, { recursive: true });
});

/** Runs the SDK in a separate process, because Node reads the trusted certificates when it starts. */
function run(program, trust) {
  const environment = { ...process.env, CONNECTION_STRING: broker.connectionString.replace("127.0.0.1", "localhost"), ...trust };
  delete environment.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url))], { env: environment });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  // The "exit" event may precede the end of the output.
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

const trusting = () => ({ NODE_EXTRA_CA_CERTS: join(folder, "tls", "certificate.pem") });

test("the SDK works over TLS once the certificate is trusted", async () => {
  const { code, output } = await run("./over-tls.js", trusting());
  assert.equal(code, 0, output);
  assert.match(output, /received over TLS/);
});

test("the SDK sends and receives over WebSockets", async () => {
  const { code, output } = await run("./over-websocket.js", trusting());
  assert.equal(code, 0, output);
  assert.match(output, /received over a WebSocket/);
});

test("the SDK rejects a broker with an untrusted certificate", async () => {
  const { code, output } = await run("./over-tls.js", { NODE_EXTRA_CA_CERTS: "" });
  assert.notEqual(code, 0, output);
  assert.match(output, /self-signed|SELF_SIGNED/);
});
