import assert from "node:assert/strict";
import { barriers, openLive, seriousFindings, testsOf } from "./browser.js";

const test = testsOf(openLive);

test("tiles, charts and map come with the first event, and stay when the lab is gone", async ({ page }) => {
  await page.locator("#slot-in-out-4 path.line").first().waitFor();
  assert.match(await page.locator(".tiles").textContent(), /stage 4/);
  assert.ok(await page.locator('#slot-map [data-edge="workflow delivery"]').count());
  await page.locator("#lost").waitFor();
  assert.ok(await page.locator("#slot-in-out-4 figure").isVisible());
});

test("a chart that is replaced keeps what its reader has chosen", async ({ page }) => {
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

test("columns of the table in the query are completed", async ({ page }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("");
  await page.locator("#kql").pressSequentially("dependencies | summarize count() by resultC");
  await page.getByRole("button", { name: "resultCode" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.locator("#kql").inputValue(), "dependencies | summarize count() by resultCode");
});

test("an answer is a chart and, one click away, a table", async ({ page, asked }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests | take 1");
  await page.keyboard.press("Control+Enter");
  await page.locator("#answer-chart path.line").first().waitFor();
  assert.deepEqual(asked, ["requests | take 1"]);
  await page.getByRole("button", { name: "table", exact: true }).click();
  assert.equal(await page.locator("#answer-chart").isVisible(), false);
  assert.ok((await page.locator("#answer [data-shape=table] tbody tr").count()) > 5);
});

test("the query behind a chart can be changed, and asked again", async ({ page, asked }) => {
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

test("a mistake is shown with its place, which is selected, and with what to do", async ({ page }) => {
  await page.goto("http://lab.test/#query");
  await page.locator("#kql").fill("requests\n| sumarize count()");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Line 2, column 3").waitFor();
  assert.match(await page.locator(".error").textContent(), /Did you mean 'summarize'/);
  assert.equal(await page.evaluate(() => getSelection().toString() || kql.value.slice(kql.selectionStart, kql.selectionEnd)), "sumarize");
});

test("a list is asked for with its filters, and a row opens its transaction", async ({ page, asked }) => {
  await page.goto("http://lab.test/#browse");
  await page.locator("#browse-rows tbody tr").first().waitFor();
  await page.locator("#browse").getByLabel("List").selectOption("requests");
  await page.locator("#browse").getByLabel("Result code").fill("500");
  await page.locator("#browse").getByLabel("Longer than, ms").fill("12.5");
  await page.locator("#browse").getByLabel("Order").selectOption("slowest");
  await page.locator("#browse").getByRole("button", { name: "Show" }).click();
  await page.getByRole("table", { name: "List of requests" }).waitFor();
  await page.locator("#browse-rows a").first().click();
  const line = page.locator("#browse-trace li.trace").first();
  await line.waitFor();
  assert.equal(await line.evaluate((it) => getComputedStyle(it).borderLeftWidth), "0px", "a log line has no frame of its own");
  assert.deepEqual(asked, ["?list=failures", "?list=requests&code=500&over=12.5&order=slowest"]);
});

test("names that a service chose to run script with are text on the live page, too", async ({ page }) => {
  await page.goto("http://lab.test/#browse");
  await page.getByText("<script>hacked=1").first().waitFor();
  await page.locator("#browse-rows a").first().click();
  await page.locator("#browse-trace li").first().waitFor();
  await page.goto("http://lab.test/#resources");
  await page.getByRole("button", { name: "Log delivery-0" }).click();
  await page.getByText("first line").waitFor();
  assert.equal(await page.evaluate(() => typeof hacked), "undefined");
});

test("a node of the map leads to its failures", async ({ page, asked }) => {
  await page.getByRole("link", { name: /^workflow .*: its failures$/ }).click();
  await page.locator("#browse-rows tbody tr").first().waitFor();
  assert.match(asked[0], /^\?list=failures&service=workflow&from=2030-01-01T08/);
});

test("a replica is stopped and started again, with the token of the page", async ({ page, asked }) => {
  await page.goto("http://lab.test/#resources");
  const row = page.getByRole("row", { name: /delivery-0/ });
  const press = async (name) => page.getByRole("button", { name: `${name} delivery-0` }).click();
  await row.waitFor();
  if (await page.getByRole("button", { name: "Start delivery-0" }).count()) await press("Start");
  asked.length = 0;
  await press("Stop");
  await page.getByText("delivery-0 has ended").waitFor();
  await row.getByText("stopped").waitFor();
  await press("Start");
  await page.getByText("delivery-0 is ready again").waitFor();
  const token = await page.locator("#resources").getAttribute("data-token");
  assert.match(token, /^[0-9A-F]{32}$/);
  assert.deepEqual(asked, [{ replica: "delivery-0", what: "stop", token }, { replica: "delivery-0", what: "start", token }]);
});

test("the keyboard stays where it was after a press, and when a log is closed", async ({ page }) => {
  await page.goto("http://lab.test/#resources");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  await page.getByRole("button", { name: "Stop delivery-0" }).press("Enter");
  await page.getByText("delivery-0 has ended").waitFor();
  await page.getByRole("button", { name: "Start delivery-0" }).waitFor();
  assert.equal(await focused(), "Start delivery-0");
  await page.getByRole("button", { name: "Log delivery-0" }).press("Enter");
  await page.getByRole("button", { name: "Close" }).press("Enter");
  assert.equal(await focused(), "Log delivery-0");
});

test("a list of the last minutes is asked for from then on", async ({ page }) => {
  await page.goto("http://lab.test/#browse");
  await page.locator("#browse").getByLabel("Time").selectOption("last 5 minutes");
  const pressed = await page.evaluate(() => Date.now());
  const [request] = await Promise.all([page.waitForRequest(/\/browse\?.*from=/), page.locator("#browse").getByRole("button", { name: "Show" }).click()]);
  const from = Date.parse(new URL(request.url()).searchParams.get("from")), until = await page.evaluate(() => Date.now());
  assert.ok(from >= pressed - 300_000 && from <= until - 300_000, `${from} of ${pressed} to ${until}`);
  await page.waitForFunction(() => browse.querySelector("#browse-says").textContent.startsWith("Rows"));
});

for (const name of ["now", "browse", "resources", "query"])
  test(`who has no mouse or does not see it can use ${name}`, async ({ page }) => {
    await page.locator("#slot-map figure").waitFor();
    await page.goto(`http://lab.test/#${name}`);
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await seriousFindings(page), []);
  });
