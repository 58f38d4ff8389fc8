import assert from "node:assert/strict";
import { barriers, openLive, seriousFindings, testsOf } from "./browser.js";

const test = testsOf(openLive);

test("tiles, charts, and map appear with the first event and stay when the lab exits", async ({ page }) => {
  await page.locator("#slot-in-out-4 path.line").first().waitFor();
  assert.match(await page.locator(".tiles").textContent(), /stage 4/);
  assert.ok(await page.locator('#slot-map [data-edge="workflow delivery"]').count());
  await page.locator("#lost").waitFor();
  assert.ok(await page.locator("#slot-in-out-4 figure").isVisible());
});

test("a chart keeps the reader's choices when the page reconnects", async ({ page }) => {
  const slot = page.locator("#slot-in-out-4");
  await slot.getByRole("button", { name: "incoming" }).click();
  await slot.locator("figure > svg").focus();
  await page.evaluate(async () => {
    const event = await (await fetch("/events")).text();
    events.onmessage({ data: event.slice("data: ".length) });
  });
  assert.equal(await slot.locator("path.line").first().isVisible(), false);
  assert.equal(await slot.getByRole("button", { name: "incoming" }).getAttribute("aria-pressed"), "false");
  assert.equal(await page.evaluate(() => document.activeElement.matches("#slot-in-out-4 figure > svg")), true);
});

test("the query editor completes columns of the table", async ({ page }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("");
  await page.locator("#kql").pressSequentially("dependencies | summarize count() by resultC");
  await page.getByRole("button", { name: "resultCode" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.locator("#kql").inputValue(), "dependencies | summarize count() by resultCode");
});

test("a result is shown as a chart, and as a table after one click", async ({ page, asked }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests | take 1");
  await page.keyboard.press("Control+Enter");
  await page.locator("#answer-chart path.line").first().waitFor();
  assert.deepEqual(asked, ["requests | take 1"]);
  await page.getByRole("button", { name: "table", exact: true }).click();
  assert.equal(await page.locator("#answer-chart").isVisible(), false);
  assert.ok((await page.locator("#answer [data-shape=table] tbody tr").count()) > 5);
});

test("the query of a chart can be changed and run again", async ({ page, asked }) => {
  const chart = page.locator("#slot-in-out-4");
  await chart.locator(".kql summary").click();
  await chart.getByRole("button", { name: "Change it" }).click();
  assert.equal(new URL(page.url()).hash, "#query");
  const query = await page.locator("#kql").inputValue();
  assert.match(query, /queueSamples/);
  await page.keyboard.press("Control+Enter");
  await page.locator("#answer-chart").waitFor();
  assert.deepEqual(asked, [query]);
});

test("an error in a query is selected and shown with a remedy", async ({ page }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests\n| sumarize count()");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Line 2, column 3").waitFor();
  assert.match(await page.locator(".error").textContent(), /Did you mean 'summarize'/);
  assert.equal(await page.evaluate(() => getSelection().toString() || kql.value.slice(kql.selectionStart, kql.selectionEnd)), "sumarize");
});

for (const name of ["now", "query"])
  test(`${name} is accessible`, async ({ page }) => {
    await page.locator("#slot-map figure").waitFor();
    await page.goto(`http://lab.test/#${name}`);
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await seriousFindings(page), []);
  });
