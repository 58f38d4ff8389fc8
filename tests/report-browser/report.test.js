import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { allRuns, barriers, hostile, open, seriousFindings, testsOf, worstContrast } from "./browser.js";

const test = testsOf(open);

const visibleBox = async (locator) => {
  await locator.scrollIntoViewIfNeeded();
  return locator.boundingBox();
};

test("the summary shows the throughput of all stages, with stage 5 far above stage 2", async ({ current }) => {
  assert.equal(await current.getAttribute("id"), "summary");
  const data = JSON.parse(await current.locator("#throughput-of-all script.data").textContent());
  const peak = (stage) => Math.max(...data.lines.find((line) => line.name === `stage ${stage}`).y);
  assert.equal(data.lines.length, 5);
  assert.ok(peak(5) > 65 && peak(5) < 75, `stage 5 completes ${peak(5)}/s`);
  assert.ok(peak(2) > 11 && peak(2) < 14, `stage 2 completes ${peak(2)}/s`);
  assert.equal(await current.locator(".story li").count(), 5);
});

test("lines are drawn inside of their chart", { page: "stage-2" }, async ({ current }) => {
  const boxes = await current.locator("figure.chart").evaluateAll((figures) =>
    figures.map((figure) => [figure.querySelector(":scope > svg").getBoundingClientRect(), ...[...figure.querySelectorAll("path.line")].map((line) => line.getBoundingClientRect())].map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))));
  assert.ok(boxes.length >= 5);
  for (const [drawing, ...lines] of boxes)
    for (const line of lines)
      assert.ok(line.left >= drawing.left && line.right <= drawing.right + 1 && line.top >= drawing.top - 1 && line.bottom <= drawing.bottom + 1);
});

test("the map has a red arrow from workflow to delivery, and no other", { page: "stage-1" }, async ({ current }) => {
  const failing = current.locator(".map .edge.failing");
  assert.deepEqual(await failing.evaluateAll((edges) => edges.map((edge) => edge.dataset.edge)), ["workflow delivery"]);
  const color = (locator) => locator.locator("path").first().evaluate((path) => getComputedStyle(path).stroke);
  assert.notEqual(await color(failing), await color(current.locator('.map [data-edge="workflow package"]')));
  assert.match(await failing.textContent(), /failed/);
});

test("a late delivery leads to the reasons, and a line of its waterfall to the exception behind the failure", { page: "stage-1" }, async ({ page, current }) => {
  await current.getByRole("table", { name: "Deliveries that took longest, and why" }).getByRole("link").first().click();
  const trace = page.locator("#browse-trace");
  assert.match(await trace.locator(".why li").first().textContent(), /^[0-9.]+ m?s from acceptance to the end of the last handling, of which /);
  const exception = trace.locator(".waterfall .exception").first();
  assert.equal(await exception.locator("dl").isVisible(), false);
  await exception.locator("summary").click();
  assert.match(await exception.locator("dl").textContent(), /OOM command not allowed/);
  assert.ok(await exception.locator("dl").isVisible());
});

test("the query behind a chart is one click away and is copied", { page: "stage-3", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, current }) => {
  const chart = current.locator("#throughput-3");
  await chart.locator(".kql summary").click();
  // It says so for a moment only, which is not to be missed on a slow machine.
  const copied = chart.locator("button.copy").evaluate((button) => new Promise((resolve) => new MutationObserver(() => button.textContent === "Copied" && resolve(true)).observe(button, { childList: true })));
  await chart.locator("button.copy").click();
  assert.ok(await copied);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /let start = datetime\(2030-01-01T/);
  assert.match(text, /summarize succeeded=sumif/);
});

test("the crosshair stands at the same time in all charts of a page", { page: "stage-5" }, async ({ page, current }) => {
  await current.locator("#in-out-5 > svg").hover();
  const at = await current.locator(".cross[visibility=visible]").evaluateAll((lines) => lines.map((line) => line.getAttribute("x1")));
  assert.ok(at.length >= 4);
  assert.equal(new Set(at).size, 1);
  assert.match(await page.locator(".tip").textContent(), /incoming.*outgoing/);
});

test("lines can be hidden, and hidden lines are not in the tooltip", { page: "stage-5" }, async ({ page, current }) => {
  const chart = current.locator("#in-out-5");
  await chart.getByRole("button", { name: "incoming" }).click();
  assert.equal(await chart.locator("path.line").first().isVisible(), false);
  await chart.locator("> svg").hover();
  assert.doesNotMatch(await page.locator(".tip").textContent(), /incoming/);
});

test("dragging zooms all charts of the page, and a button brings everything back", { page: "stage-5" }, async ({ page, current }) => {
  const box = await visibleBox(current.locator("#in-out-5 > svg"));
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const views = () => current.locator(".plot").evaluateAll((plots) => plots.map((plot) => plot.getAttribute("viewBox").split(" ").map(Number)));
  const zoomed = await views();
  assert.ok(zoomed.every(([from, , width]) => from > 100 && width < 200), JSON.stringify(zoomed));
  await current.locator(".reset:visible").first().click();
  assert.ok((await views()).every(([from]) => from === 0));
});

test("everything can be done with the keyboard", { page: "stage-5" }, async ({ page, current }) => {
  await current.locator("#in-out-5 > svg").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.locator(".tip").isVisible());
  await page.keyboard.press("+");
  assert.ok(await current.locator("#in-out-5 .reset").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await current.locator("#in-out-5 .reset").isVisible(), false);
  await current.locator("#in-out-5 .kql summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await current.locator("#in-out-5 pre").isVisible());
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "copy");
});

test("a chart has its numbers as a table and as CSV", { page: "stage-2" }, async ({ page, current }) => {
  const chart = current.locator("#in-out-2");
  await chart.getByRole("button", { name: "Table" }).click();
  const rows = await chart.locator(".values tr").count();
  assert.ok(rows > 10);
  const [download] = await Promise.all([page.waitForEvent("download"), chart.locator(".csv").click()]);
  const text = await readFile(await download.path(), "utf8");
  assert.equal(text.split("\n")[0], "seconds,incoming,outgoing");
  assert.equal(text.trim().split("\n").length, rows);
});

test("links of the navigation turn pages", async ({ page }) => {
  await page.getByRole("navigation").getByRole("link", { name: "4 Parallelism" }).click();
  await page.locator("#stage-4.current").waitFor();
  assert.equal(await page.locator(".page.current").getAttribute("id"), "stage-4");
  assert.equal(await page.locator("nav [aria-current=page]").textContent(), "4 Parallelism and prefetch");
  assert.match(await page.locator("#buffer-wait-4").textContent(), /lock: 7.5 s/);
});

test("a list has what its filters leave, and the address says what is shown", { page: "browse" }, async ({ page, current }) => {
  await current.getByLabel("List").selectOption("calls");
  await current.getByLabel("Service").fill("workflow");
  await current.getByLabel("Name has").fill("deliver");
  await current.getByLabel("Outcome").selectOption("failed");
  await current.getByRole("button", { name: "Show" }).click();
  const names = current.locator("#browse-rows tbody td:nth-child(3)");
  await current.getByRole("table", { name: "List of calls" }).waitFor();
  for (const name of await names.allTextContents()) assert.match(name, /deliver/i);
  assert.ok((await current.locator("#browse-rows tbody tr").count()) === (await current.locator("#browse-rows tr.failing").count()));
  assert.match(page.url(), /#browse\?list=calls&service=workflow&name=deliver&outcome=failed$/);
  await current.getByLabel("Longer than, ms").fill("100000");
  await current.getByRole("button", { name: "Show" }).click();
  await current.getByText("Nothing matches.").waitFor();
});

test("a row opens its transaction as a waterfall, with the exception below the request that threw it", { page: "browse?list=requests&service=delivery&code=503" }, async ({ page, current }) => {
  await current.locator("#browse-rows a").first().click();
  await current.getByText("A transaction, end to end").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "trace-title");
  const steps = await current.locator("#browse-trace li").evaluateAll((all) => all.map((it) => it.className));
  assert.ok(steps.length >= 8, steps.join(", "));
  assert.ok(steps.some((it, i) => it === "exception failing" && steps[i - 1] === "request failing"), steps.join(", "));
  const indents = await current.locator("#browse-trace .what").evaluateAll((all) => all.map((it) => parseFloat(it.style.paddingLeft)));
  assert.ok(Math.max(...indents) > 2);
  await current.locator("#browse-trace summary").last().click();
  assert.ok(await current.locator("#browse-trace dl").last().isVisible());
  const name = await current.locator("#browse-rows a").first().textContent();
  await current.getByRole("link", { name: "Close" }).press("Enter");
  await current.locator("#browse-trace").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.closest("#browse-rows")?.querySelector("a").textContent), name);
});

test("a node of the map leads to its failures, and these to a transaction", { page: "stage-1" }, async ({ page, current }) => {
  await current.getByRole("link", { name: /^delivery .*: its failures$/ }).click();
  const browse = page.locator("#browse.current");
  await browse.locator("#browse-rows tbody tr").first().waitFor();
  assert.deepEqual([...new Set(await browse.locator("#browse-rows tbody td:nth-child(2)").allTextContents())].filter((it) => !it.startsWith("delivery")), []);
  assert.equal(await browse.getByLabel("Time").locator("option:checked").textContent(), "stage 1");
  await browse.locator("#browse-rows a").first().click();
  await browse.locator("#browse-trace .failing").first().waitFor();
});

test("a point of a chart leads to the transactions of its time, with the mouse and with the keyboard", { page: "stage-5" }, async ({ page, current }) => {
  const box = await visibleBox(current.locator("#in-out-5 > svg"));
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
  await current.locator("#in-out-5").getByRole("link", { name: /Traces at 0:3/ }).click();
  const at = page.locator("#browse.current #browse-rows tbody td:first-child");
  await at.first().waitFor();
  assert.match(page.url(), /#browse\?list=requests&from=2030-01-01T08:08:3/);
  await page.goBack();
  await current.locator("#in-out-5 > svg").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await at.first().waitFor();
});

test("the traces of a point are those of the value that the tooltip shows", { page: "stage-5" }, async ({ current }) => {
  const chart = current.locator("#throughput-5 > svg");
  const [seconds, bin] = await chart.evaluate((it) => {
    const { data } = charts.get(it), line = data.lines.find(({ dashed }) => !dashed), x = (line.x ?? data.x)[4];
    charts.get(it).pin(x + 2.4);
    return [x, data.origin];
  });
  const link = new URLSearchParams((await current.locator("#throughput-5 .traces").getAttribute("href")).split("?")[1]);
  assert.equal(Date.parse(link.get("from")), Date.parse(bin) + 1000 * (seconds - 2.5));
});

test("without anything of that time the nearest are shown, and it is said", { page: "browse?list=requests&from=2030-01-01T08:00:00.000Z&to=2030-01-01T08:00:00.001Z" }, async ({ current }) => {
  await current.getByText("these are the nearest").waitFor();
  assert.equal(await current.locator("#browse-rows tbody tr").count(), 20);
});

test("names that a service chose to run script with are text", { file: hostile, page: "browse?list=failures" }, async ({ page, current }) => {
  await current.getByText("<script>hacked=1").first().waitFor();
  await current.locator("#browse-rows a").filter({ hasText: "hacked" }).first().click();
  await current.locator("#browse-trace li").first().waitFor();
  await page.goto(page.url().split("#")[0] + "#stage-4");
  assert.equal(await page.evaluate(() => typeof hacked), "undefined");
  assert.equal(await page.locator("img").count(), 0);
});

test("the page of all runs leads from its list to the trends of a stage", { file: allRuns }, async ({ page, current }) => {
  assert.ok(await current.getByRole("table").isVisible());
  await page.getByRole("navigation").getByRole("link", { name: "2" }).click();
  await page.locator(".page.current .dots circle").first().waitFor();
  assert.ok((await page.locator(".page.current .dots circle").count()) >= 4);
  assert.deepEqual(await barriers(page), []);
  assert.ok((await worstContrast(page)).ratio >= 4.5);
});

for (const name of ["summary", "stage-1", "browse?list=failures", "conditions"])
  test(`who has no mouse or does not see it can use ${name}`, { page: name }, async ({ page }) => {
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await seriousFindings(page), []);
  });

test("on a phone a list is no wider than the screen, except what scrolls by itself", { page: "browse?list=failures", width: 390, height: 844 }, async ({ page, current }) => {
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.ok((await visibleBox(current.locator("#browse-rows td:nth-child(3)").first())).width >= 150, "names are not broken into letters");
});

for (const dark of [false, true])
  test(`text has enough contrast when it is ${dark ? "dark" : "light"}`, { page: "stage-1", dark }, async ({ page, current }) => {
    const worst = await worstContrast(page);
    assert.ok(worst.ratio >= 4.5, `${worst.text}: ${worst.ratio.toFixed(2)}`);
  });

test("on a phone nothing is wider than the screen, except what scrolls by itself", { page: "stage-1", width: 390, height: 844 }, async ({ page }) => {
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});

test("without script everything is there, one page below the other", { javaScriptEnabled: false }, async ({ page }) => {
  assert.ok(await page.locator("#in-out-4").isVisible());
  assert.ok(await page.locator("#summary").isVisible());
});
