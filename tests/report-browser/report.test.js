import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { barriers, hostile, open, seriousFindings, testsOf, worstContrast } from "./browser.js";

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

test("lines are within their chart", { page: "stage-2" }, async ({ current }) => {
  const boxes = await current.locator("figure.chart").evaluateAll((figures) =>
    figures.map((figure) => [figure.querySelector(":scope > svg").getBoundingClientRect(), ...[...figure.querySelectorAll("path.line")].map((line) => line.getBoundingClientRect())].map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))));
  assert.ok(boxes.length >= 5);
  for (const [drawing, ...lines] of boxes)
    for (const line of lines)
      assert.ok(line.left >= drawing.left && line.right <= drawing.right + 1 && line.top >= drawing.top - 1 && line.bottom <= drawing.bottom + 1);
});

test("only the arrow from workflow to delivery is red on the map", { page: "stage-1" }, async ({ current }) => {
  const failing = current.locator(".map .edge.failing");
  assert.deepEqual(await failing.evaluateAll((edges) => edges.map((edge) => edge.dataset.edge)), ["workflow delivery"]);
  const color = (locator) => locator.locator("path").first().evaluate((path) => getComputedStyle(path).stroke);
  assert.notEqual(await color(failing), await color(current.locator('.map [data-edge="workflow package"]')));
  assert.match(await failing.textContent(), /failed/);
});

test("one click on a chart shows its query, which can be copied", { page: "stage-3", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, current }) => {
  const chart = current.locator("#throughput-3");
  await chart.locator(".kql summary").click();
  // The confirmation is only shown briefly, which a slow machine must not miss.
  const copied = chart.locator("button.copy").evaluate((button) => new Promise((resolve) => new MutationObserver(() => button.textContent === "Copied" && resolve(true)).observe(button, { childList: true })));
  await chart.locator("button.copy").click();
  assert.ok(await copied);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /let start = datetime\(2030-01-01T/);
  assert.match(text, /summarize succeeded=sumif/);
});

test("all charts of a page show the crosshair at the same time", { page: "stage-5" }, async ({ page, current }) => {
  await current.locator("#in-out-5 > svg").hover();
  const at = await current.locator(".cross[visibility=visible]").evaluateAll((lines) => lines.map((line) => line.getAttribute("x1")));
  assert.ok(at.length >= 4);
  assert.equal(new Set(at).size, 1);
  assert.match(await page.locator(".tip").textContent(), /incoming.*outgoing/);
});

test("hidden lines are not in the tooltip", { page: "stage-5" }, async ({ page, current }) => {
  const chart = current.locator("#in-out-5");
  await chart.getByRole("button", { name: "incoming" }).click();
  assert.equal(await chart.locator("path.line").first().isVisible(), false);
  await chart.locator("> svg").hover();
  assert.doesNotMatch(await page.locator(".tip").textContent(), /incoming/);
});

test("dragging zooms all charts of the page, and a button resets them", { page: "stage-5" }, async ({ page, current }) => {
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

test("a chart offers its numbers as a table and as CSV", { page: "stage-2" }, async ({ page, current }) => {
  const chart = current.locator("#in-out-2");
  await chart.getByRole("button", { name: "Table" }).click();
  const rows = await chart.locator(".values tr").count();
  assert.ok(rows > 10);
  const [download] = await Promise.all([page.waitForEvent("download"), chart.locator(".csv").click()]);
  const text = await readFile(await download.path(), "utf8");
  assert.equal(text.split("\n")[0], "seconds,incoming,outgoing");
  assert.equal(text.trim().split("\n").length, rows);
});

test("navigation links switch pages", async ({ page }) => {
  await page.getByRole("navigation").getByRole("link", { name: "4 Parallelism" }).click();
  await page.locator("#stage-4.current").waitFor();
  assert.equal(await page.locator(".page.current").getAttribute("id"), "stage-4");
  assert.equal(await page.locator("nav [aria-current=page]").textContent(), "4 Parallelism and prefetch");
  assert.match(await page.locator("#buffer-wait-4").textContent(), /lock: 7.5 s/);
});

test("script in telemetry names is escaped", { file: hostile, page: "stage-4" }, async ({ page, current }) => {
  await current.getByText("<script>hacked=1").first().waitFor();
  assert.equal(await page.evaluate(() => typeof hacked), "undefined");
  assert.equal(await page.locator("img").count(), 0);
});

for (const name of ["summary", "stage-1", "conditions"])
  test(`${name} is accessible`, { page: name }, async ({ page }) => {
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await seriousFindings(page), []);
  });

for (const dark of [false, true])
  test(`text has enough contrast when it is ${dark ? "dark" : "light"}`, { page: "stage-1", dark }, async ({ page, current }) => {
    const worst = await worstContrast(page);
    assert.ok(worst.ratio >= 4.5, `${worst.text}: ${worst.ratio.toFixed(2)}`);
  });

test("on a phone, only scrollable parts are wider than the screen", { page: "stage-1", width: 390, height: 844 }, async ({ page }) => {
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});

test("without script, all pages are shown one below the other", { javaScriptEnabled: false }, async ({ page }) => {
  assert.ok(await page.locator("#in-out-4").isVisible());
  assert.ok(await page.locator("#summary").isVisible());
});
