import assert from "node:assert/strict";
import { experiments, open, testsOf, worstContrast } from "./browser.js";

const test = testsOf((browser, options) => open(browser, { file: experiments, ...options }));

const names = ["disk-writes", "gateway-policies", "http-scale", "tracking-pixel"];

test("navigation links switch between the pages of experiments", {}, async ({ page }) => {
  assert.deepEqual(await page.locator(".page").evaluateAll((pages) => pages.map((it) => it.id)), names);
  await page.getByRole("navigation").getByRole("link", { name: "Concurrency and scale-out" }).click();
  await page.locator("#http-scale.current").waitFor();
  assert.equal(await page.locator(".page.current").getAttribute("id"), "http-scale");
});

for (const name of names)
  test(`${name} shows its verdicts, variants, and the article's measurements`, { page: name }, async ({ page, current }) => {
    const checks = current.locator("table", { has: page.locator("caption", { hasText: /^Checks$/ }) });
    const verdicts = await checks.locator("tbody tr td:last-child").allTextContents();
    assert.ok(verdicts.length >= 10 && verdicts.includes("holds"), verdicts.join());
    assert.ok(await current.getByText("What the article measured").isVisible());
    assert.match(await current.locator("h3 .badge").first().textContent(), /emulated|real/);
    // An invisible table has no height. Screen readers skip a table without a name.
    for (const table of await current.locator("table:visible").all()) {
      assert.ok((await table.boundingBox()).height > 20);
      assert.ok((await table.locator("caption").textContent()).length > 3);
    }
  });

for (const name of ["http-scale", "tracking-pixel"])
  test(`the lines of ${name} are within their charts`, { page: name }, async ({ current }) => {
    const charts = await current.locator("figure.chart").evaluateAll((figures) =>
      figures.map((figure) => [figure.querySelector(":scope > svg"), ...figure.querySelectorAll("path.line")].map((it) => it.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))));
    assert.equal(charts.length, 3, "two variants, and both on one axis");
    for (const [drawing, ...lines] of charts) {
      assert.ok(lines.length > 0);
      for (const line of lines)
        assert.ok(line.right - line.left > 50 && line.left >= drawing.left && line.right <= drawing.right + 1 && line.top >= drawing.top - 1 && line.bottom <= drawing.bottom + 1);
    }
  });

test("the variants share one axis, with separate colors and names", { page: "http-scale" }, async ({ current }) => {
  const chart = current.locator("#http-scale-all-0");
  assert.deepEqual(await chart.locator(".legend button").allTextContents(), ["c16", "c4"]);
  const colors = await chart.locator("path.line").evaluateAll((lines) => lines.map((line) => getComputedStyle(line).stroke));
  assert.equal(new Set(colors).size, 2);
  const data = JSON.parse(await chart.locator("script.data").textContent());
  assert.deepEqual(data.lines.map((line) => Math.max(...line.y)), [63, 250]);
});

test("a chart has a description for screen readers and its numbers as a table", { page: "http-scale" }, async ({ current }) => {
  const chart = current.locator("#http-scale-c4-0");
  const drawing = chart.getByRole("img", { name: "Distinct instances per second" });
  assert.match(await drawing.locator("desc").textContent(), /^250 instances; 80% are ready after \d\.\d s\.$/);
  await chart.getByRole("button", { name: "Table" }).click();
  assert.ok((await chart.locator(".values tr").count()) > 20);
});

test("one click on a chart shows the article's query", { page: "http-scale" }, async ({ current }) => {
  const chart = current.locator("#http-scale-c4-0");
  await chart.locator(".kql summary").click();
  assert.match(await chart.locator("pre").textContent(), /dcount\(cloud_RoleInstance\) by bin\(timestamp, 1s\)/);
});

test("a chart can be read with the keyboard", { page: "http-scale" }, async ({ page, current }) => {
  await current.locator("#http-scale-c4-0 > svg").focus();
  await page.keyboard.press("End");
  assert.match(await page.locator(".tip").textContent(), /instances.*250/);
  await page.keyboard.press("+");
  assert.ok(await current.locator("#http-scale-c4-0 .reset").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await current.locator("#http-scale-c4-0 .reset").isVisible(), false);
});

test("knobs and figures open with the keyboard", { page: "tracking-pixel" }, async ({ page, current }) => {
  const more = current.locator("details.more");
  await more.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await more.getByRole("table", { name: "Knobs" }).isVisible());
  assert.ok(await more.getByText("s1x10.rps").isVisible());
});

for (const name of names)
  for (const dark of [false, true])
    test(`text of ${name} has enough contrast when it is ${dark ? "dark" : "light"}`, { page: name, dark }, async ({ page }) => {
      const worst = await worstContrast(page);
      assert.ok(worst.ratio >= 4.5, `${worst.text}: ${worst.ratio.toFixed(2)}`);
    });

for (const name of names)
  test(`on a phone, only scrollable parts of ${name} are wider than the screen`, { page: name, width: 390, height: 844 }, async ({ page }) => {
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  });

test("without script, all pages are shown one below the other", { javaScriptEnabled: false }, async ({ page }) => {
  for (const name of names) assert.ok(await page.locator(`#${name}`).isVisible());
  assert.ok(await page.locator("#http-scale-c4-0").isVisible());
});
