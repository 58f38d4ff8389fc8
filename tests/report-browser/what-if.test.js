import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { barriers, openPage, seriousFindings, testsOf, worstContrast } from "./browser.js";

const root = resolve(import.meta.dirname, "../..");
let lab, address, artifacts;

/** The page of a real lab, which has no browser that it could open. */
before(async () => {
  artifacts = mkdtempSync(join(tmpdir(), "what-if-"));
  lab = spawn("dotnet", [join(root, "artifacts/bin/Lab/release/DroneDelivery.Lab.dll"), "plan", "4", "--open", "--port", "0"], {
    env: { ...process.env, LAB_ARTIFACTS: artifacts, BROWSER: "/bin/false", DISPLAY: "" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: lab.stdout })) {
    address = /http:\S+/.exec(line)?.[0];
    if (address) break;
  }
  assert.ok(address, "the lab says where its page is");
});
after(async () => {
  if (lab?.exitCode === null) {
    const ended = once(lab, "exit");
    lab.kill();
    await ended; // or it might still write where its files are deleted
  }
  if (artifacts) rmSync(artifacts, { recursive: true, force: true });
});

const test = testsOf(async (browser, { path = "?stage=4", ...options }) => {
  const allowed = (request) => new URL(request.url()).host === new URL(address).host;
  const opened = await openPage(browser, { height: 900, allowed, ...options });
  await opened.page.goto(new URL(path, address).href);
  await opened.page.locator("#throughput path.line").first().waitFor();
  return opened;
});

const curve = (page, chart) => page.locator(`#${chart} path.line`).last().getAttribute("d");
const says = (page) => page.locator("#says .binds").textContent();
const tile = (page, name) => page.locator("#tiles div", { hasText: name }).locator("dd").textContent();

test("curves and words follow a slider", async ({ page }) => {
  assert.match(await says(page), /Prefetch against lock binds/);
  const before = await curve(page, "throughput");
  await page.locator("[id='workflow.prefetchCount']").fill("1000");
  await page.getByText("CPU binds").waitFor();
  assert.notEqual(await curve(page, "throughput"), before);
  assert.equal(await tile(page, "refused"), "0");
  assert.equal(await page.locator("[data-of='workflow.prefetchCount']").inputValue(), "1000");
});

test("a link carries the settings", async ({ page }) => {
  await page.locator("[id='workflow.prefetchCount']").fill("1000");
  await page.locator("[id='queue.lockDuration']").fill("90");
  await page.waitForURL(/queue\.lockDuration=90/);
  const words = await says(page), address = page.url();
  assert.equal(new URL(address).search, "?stage=4&workflow.prefetchCount=1000&queue.lockDuration=90");
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByText(words).waitFor();
  assert.equal(await page.locator("[id='workflow.prefetchCount']").inputValue(), "1000");
  assert.equal(await page.locator("#command").textContent(), "./lab run 4 --set queue.lockDuration=90s --set workflow.prefetchCount=1000");
});

test("what a link sets without a slider stays in it", { path: "?stage=2&redis.maxMemory=50mb" }, async ({ page }) => {
  await page.locator("[id='workflow.maxConcurrentCalls']").fill("3");
  await page.waitForURL(/maxConcurrentCalls=3/);
  assert.match(page.url(), /redis\.maxMemory=50mb/);
  assert.match(await page.locator("#command").textContent(), /redis\.maxMemory=52428800/);
});

test("stages are presets, and a click leads back to them", async ({ page }) => {
  await page.locator("#stage").selectOption("2");
  await page.getByText("Calls at a time bind").waitFor();
  assert.equal(await page.locator("[id='workflow.maxConcurrentCalls']").inputValue(), "1");
  await page.locator("[id='workflow.maxConcurrentCalls']").fill("20");
  await page.getByText("CPU binds").waitFor();
  await page.locator("#reset").click();
  await page.getByText("Calls at a time bind").waitFor();
});

test("everything can be done with the keyboard", { path: "?stage=2" }, async ({ page }) => {
  const slider = page.locator("[id='workflow.maxConcurrentCalls']");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await slider.inputValue(), "3");
  await page.getByText("3 × 3").waitFor();
  const exact = page.locator("[data-of='workflow.maxConcurrentCalls']");
  await exact.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("40");
  await page.getByText("CPU binds").waitFor();
  assert.equal(await slider.inputValue(), "40");
});

test("a value that cannot be is said, and the last answer stays", { expected: (text) => /400 \(Bad Request\)|409 \(Conflict\)/.test(text) }, async ({ page }) => {
  const before = await curve(page, "throughput");
  await page.locator("[data-of='workflow.prefetchCount']").fill("10");
  await page.getByRole("alert").getByText("is less than workflow.maxConcurrentCalls=20").waitFor();
  assert.equal(await curve(page, "throughput"), before);
  await page.locator("[data-of='workflow.prefetchCount']").fill("1000");
  await page.getByText("CPU binds").waitFor();
  assert.equal(await page.locator("#mistake").textContent(), "");
});

test("of many moves the last one is shown", async ({ page }) => {
  await page.evaluate(() => {
    const slider = document.getElementById("workflow.prefetchCount");
    for (let value = 200; value <= 1000; value += 20) {
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await page.waitForURL(/prefetchCount=1000/);
  assert.match(await page.locator("#command").textContent(), /prefetchCount=1000$/);
});

test("a link to no stage begins with one that there is", { path: "?stage=constructor" }, async ({ page }) => {
  assert.equal(await page.locator("#stage").inputValue(), "1");
});

test("a page that is loaded again goes on with its run", async ({ page }) => {
  let run = { isRunning: true, exitCode: null, lastLine: "stage 4: 0:12 of 1:00" };
  await page.route("**/what-if/run", (route) => route.fulfill({ json: run }));
  await page.reload();
  await page.getByText("It is being played; watch http://localhost:5080/. stage 4: 0:12 of 1:00").waitFor();
  assert.ok(await page.locator("#play").isDisabled());
  run = { isRunning: false, exitCode: 0, lastLine: "the end" };
  await page.getByText("It has ended with exit code 0. the end").waitFor();
  await page.locator("#play:enabled").waitFor();
});

test("nobody is kept out who does not see it or has no mouse", async ({ page }) => {
  assert.deepEqual(await seriousFindings(page), []);
  assert.deepEqual(await barriers(page), []);
  assert.equal(await page.getByRole("slider", { name: "workflow.prefetchCount" }).count(), 1);
});

for (const dark of [false, true])
  test(`text has enough contrast when it is ${dark ? "dark" : "light"}`, { dark }, async ({ page }) => {
    const worst = await worstContrast(page);
    assert.ok(worst.ratio >= 4.5, `${worst.text}: ${worst.ratio.toFixed(2)}`);
  });

test("on a phone it is one column that is not wider than the screen", { width: 390, height: 844 }, async ({ page }) => {
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  const [knobs, answers] = [await page.locator("#knobs").boundingBox(), await page.locator(".answers").boundingBox()];
  assert.ok(answers.y >= knobs.y + knobs.height);
});
