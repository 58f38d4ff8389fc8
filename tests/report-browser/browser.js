import assert from "node:assert/strict";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(import.meta.dirname, "../..");

/** The files that Lab.Tests and Articles.Tests write: reports and responses of a lab's live page. */
const left = join(root, "artifacts/report-browser");

/** Returns the file. Fails if the lab was built after it was written, because it would show pages of an earlier lab. */
function fresh(file) {
  const lab = join(root, "artifacts/bin/Lab/release/DroneDelivery.Lab.dll");
  const why = !existsSync(file) ? "missing" : file.startsWith(left) && existsSync(lab) && statSync(file).mtimeMs < statSync(lab).mtimeMs ? "older than the lab" : null;
  if (why) throw new Error(`${file} is ${why}: ./lab test --all runs the tests that write it.`);
  return file;
}

/** The file of this name that the tests wrote. */
export const leftText = (name) => readFileSync(fresh(join(left, name)), "utf8");

/** Unless another one is named. */
export const report = process.env.REPORT ?? join(left, "report.html");

/** A report of experiments. */
export const experiments = join(left, "experiments.html");

/** A report whose telemetry has names with script. */
export const hostile = join(left, "report-hostile.html");

function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const all = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.CHROMIUM, ...all].find((file) => file && isExecutable(file));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function launch() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("Chromium is missing: apt install chromium, or name it in CHROMIUM.");
  // As root, as in a container, Chromium has no sandbox.
  return chromium.launch({ executablePath, timeout: 120_000, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

/** Reusable pages, by the options that a page cannot change, because a new context costs more CPU than opening a report. */
const kept = new Map();

async function newPage(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/**
 * Opens an empty page. `problems` collects script errors that are not `expected` and requests that are not `allowed`.
 */
export async function openPage(browser, { width = 1280, height = 800, dark = false, allowed, expected = () => false, ...options }) {
  const key = JSON.stringify(options), page = kept.get(key) ?? (await newPage(browser, options)), problems = [];
  kept.delete(key);
  const listeners = Object.entries({
    console: (message) => message.type() === "error" && !expected(message.text()) && problems.push(message.text()),
    pageerror: (error) => problems.push(error.message),
    request: (request) => allowed(request) || problems.push(`request of ${request.url()}`),
  });
  for (const [event, listener] of listeners) page.on(event, listener);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  const close = async () => {
    await page.goto("about:blank");
    for (const [event, listener] of listeners) page.off(event, listener);
    await page.unrouteAll({ behavior: "wait" });
    await page.mouse.move(0, 0);
    kept.set(key, page);
  };
  return { page, problems, close };
}

/** Opens a report in a page that must request only the file itself. */
export async function open(browser, { file = report, page: hash = "", ...options } = {}) {
  const allowed = (request) => request.isNavigationRequest() || request.url().startsWith("blob:");
  const opened = await openPage(browser, { allowed, ...options });
  await opened.page.goto(pathToFileURL(fresh(file)).href + (hash ? `#${hash}` : ""));
  return { ...opened, current: opened.page.locator(".page.current") };
}

/**
 * Returns `test(name, [options], body)`, whose body gets the result of `openIt(browser, options)`. Every test ends with
 * a check that the page had no problems. After a failure, the next test gets a new page.
 */
export function testsOf(openIt) {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());
  return (name, options, body) => {
    if (!body) [options, body] = [{}, options];
    test(name, { timeout: 600_000 }, async () => {
      const opened = await openIt(browser, options);
      try {
        await body(opened);
        await opened.close();
      } catch (failure) {
        await opened.page.context().close();
        throw failure;
      }
      assert.deepEqual(opened.problems, []);
    });
  };
}

/** Returns the text with the lowest contrast on the current page: `{ text, ratio }`. */
export const worstContrast = (page) =>
  page.evaluate(() => {
    const channels = (color) => {
      const [r, g, b, a = 1] = color.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
      const most = color.startsWith("color(") ? 1 : 255;
      return { rgb: [r / most, g / most, b / most], a };
    };
    const over = (front, back) => front.rgb.map((it, i) => it * front.a + back[i] * (1 - front.a));
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const body = channels(getComputedStyle(document.body).backgroundColor).rgb;
    const texts = [...document.querySelectorAll(".page.current :is(p, td, th, h2, h3, figcaption, summary, button, svg text, dd)")].filter((it) => it.textContent.trim());
    return texts.map((it) => {
      const style = getComputedStyle(it);
      const back = over(channels(it.matches("td, th") ? style.backgroundColor : "rgb(0 0 0 / 0)"), body);
      const [front, behind] = [luminance(over(channels(it instanceof SVGElement ? style.fill : style.color), back)), luminance(back)];
      return { text: it.textContent.trim().slice(0, 40), ratio: (Math.max(front, behind) + 0.05) / (Math.min(front, behind) + 0.05) };
    }).sort((a, b) => a.ratio - b.ratio)[0];
  });

/**
 * Opens the live page with one event, after which the connection is lost. `asked` are the queries.
 */
export async function openLive(browser) {
  const allowed = (request) => new URL(request.url()).host === "lab.test";
  const opened = await openPage(browser, { allowed, expected: (text) => /400 \(Bad Request\)/.test(text) });
  const { page } = opened, asked = [];
  const answer = (name, contentType, status = 200) => ({ status, contentType, body: leftText(name) });
  await page.route("**/*", (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === "/query") asked.push(route.request().postData());
    return route.fulfill({
      "/": () => answer("live.html", "text/html; charset=utf-8"),
      "/events": () => answer("live-events.txt", "text/event-stream"),
      "/schema": () => answer("live-schema.json", "application/json"),
      "/query": () => (asked.at(-1).includes("sumarize") ? answer("live-mistake.json", "application/json; charset=utf-8", 400) : answer("live-answer.html", "text/html; charset=utf-8")),
    }[url.pathname]?.() ?? { status: 404 });
  });
  await page.goto("http://lab.test/");
  return { ...opened, asked };
}

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Returns axe's serious and critical findings on the current page, as "rule: element". */
export async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 120)}`));
}

/** Returns accessibility problems: fields and buttons without a name, tables without a caption, duplicate ids, broken links. */
export const barriers = (page) =>
  page.evaluate(() => {
    const shown = (it) => it.closest("[hidden]") === null && it.closest(".page.current, nav") !== null;
    const name = (it) => it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent;
    const found = [];
    for (const it of [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(shown)) {
      if (!name(it).trim()) found.push(`no name: ${it.outerHTML.slice(0, 80)}`);
      if (it.tabIndex < 0) found.push(`not reached by Tab: ${it.outerHTML.slice(0, 80)}`);
    }
    for (const it of [...document.querySelectorAll("table")].filter(shown)) if (!it.caption?.textContent.trim() && !it.closest(".values")) found.push(`no caption: ${it.outerHTML.slice(0, 80)}`);
    for (const it of [...document.querySelectorAll("[role=img] a, [aria-hidden=true] a, [aria-hidden=true] button")].filter(shown)) found.push(`not heard: ${it.outerHTML.slice(0, 80)}`);
    for (const it of [...document.querySelectorAll("[aria-labelledby]")]) for (const id of it.getAttribute("aria-labelledby").split(" ")) if (!document.getElementById(id)) found.push(`named by nothing: ${id}`);
    const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
    for (const id of new Set(ids.filter((it, i) => ids.indexOf(it) !== i))) found.push(`twice: ${id}`);
    if (document.documentElement.lang !== "en" || !document.title) found.push("no language or title");
    return found;
  });
