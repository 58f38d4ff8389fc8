import assert from "node:assert/strict";
import { after, before, test as nodeTest } from "node:test";
import { launch, openLive } from "./browser.js";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Every test ends with: no error in the console, nothing asked of anybody but the lab. */
function test(name, body) {
  nodeTest(name, { timeout: 60_000 }, async () => {
    const opened = await openLive(browser);
    try {
      await body(opened.page, opened.asked);
      assert.deepEqual(opened.problems, []);
    } finally {
      await opened.close();
    }
  });
}

test("tiles, charts and map come with the first event, and stay when the lab is gone", async (page) => {
  await page.locator("#slot-in-out-4 path.line").first().waitFor();
  assert.match(await page.locator(".tiles").textContent(), /stage 4/);
  assert.ok(await page.locator('#slot-map [data-edge="workflow delivery"]').count());
  await page.locator("#lost").waitFor();
  assert.ok(await page.locator("#slot-in-out-4 figure").isVisible());
});

test("a chart that is replaced keeps what its reader has chosen", async (page) => {
  const slot = page.locator("#slot-in-out-4");
  await slot.getByRole("button", { name: "incoming" }).click();
  await slot.locator("figure > svg").focus();
  await page.evaluate(async () => {
    const event = await (await fetch("/events")).text();
    put("slot-in-out-4", JSON.parse(event.slice("data: ".length)).pieces["slot-in-out-4"]);
  });
  assert.equal(await slot.locator("path.line").first().isVisible(), false);
  assert.equal(await slot.getByRole("button", { name: "incoming" }).getAttribute("aria-pressed"), "false");
  assert.equal(await page.evaluate(() => document.activeElement.matches("#slot-in-out-4 figure > svg")), true);
});

test("columns of the table in the query are completed", async (page) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("");
  await page.locator("#kql").pressSequentially("dependencies | summarize count() by resultC");
  await page.getByRole("button", { name: "resultCode" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.locator("#kql").inputValue(), "dependencies | summarize count() by resultCode");
});

test("an answer is a chart and, one click away, a table", async (page, asked) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests | take 1");
  await page.keyboard.press("Control+Enter");
  await page.locator("#answer-chart path.line").first().waitFor();
  assert.deepEqual(asked, ["requests | take 1"]);
  await page.getByRole("button", { name: "table", exact: true }).click();
  assert.equal(await page.locator("#answer-chart").isVisible(), false);
  assert.ok((await page.locator("#answer [data-shape=table] tbody tr").count()) > 5);
});

test("a mistake is shown with its place, which is selected, and with what to do", async (page) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests\n| sumarize count()");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Line 2, column 3").waitFor();
  assert.match(await page.locator(".error").textContent(), /Did you mean 'summarize'/);
  assert.equal(await page.evaluate(() => getSelection().toString() || kql.value.slice(kql.selectionStart, kql.selectionEnd)), "sumarize");
});
