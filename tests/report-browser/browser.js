import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(import.meta.dirname, "../..");

/** What the tests of Lab.Tests leave behind: a report, and what the live page of a lab answers. */
const left = join(root, "artifacts/report-browser");

/** Unless another one is named. */
export const report = process.env.REPORT ?? join(left, "report.html");

/** Reports of experiments, and of two of them beside each other. */
export const experiments = join(left, "experiments.html");
export const compared = join(left, "experiments-compared.html");

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
  if (!existsSync(report)) throw new Error(`${report} is missing: dotnet test --project tests/Lab.Tests -c Release writes it.`);
  // As root, as in a container, Chromium has no sandbox.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

/**
 * A page with a report open. Whatever goes wrong in it is in `problems`: errors of the script, and any request but that for the file itself.
 */
export async function open(browser, { file = report, page: hash = "", width = 1280, height = 800, dark = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => request.isNavigationRequest() || request.url().startsWith("blob:") || problems.push(`request of ${request.url()}`));
  await page.goto(pathToFileURL(file).href + (hash ? `#${hash}` : ""));
  return { page, problems, close: () => context.close() };
}

/** The text with the least contrast on the page that is shown: `{ text, ratio }`. */
export const worstContrast = (page) =>
  page.evaluate(() => {
    const channels = (colour) => {
      const [r, g, b, a = 1] = colour.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
      const most = colour.startsWith("color(") ? 1 : 255;
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

/** The live page as a lab serves it, once: its only event comes, then the connection is lost. `asked` are the queries. */
export async function openLive(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = [], asked = [];
  page.on("console", (message) => message.type() === "error" && !/400 \(Bad Request\)/.test(message.text()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  const answer = (name, contentType, status = 200) => ({ status, contentType, body: readFileSync(join(left, name), "utf8") });
  await page.route("**/*", (route) => {
    const url = new URL(route.request().url());
    if (url.host !== "lab.test") problems.push(`request of ${url}`);
    if (url.pathname === "/query") asked.push(route.request().postData());
    return route.fulfill({
      "/": () => answer("live.html", "text/html; charset=utf-8"),
      "/events": () => answer("live-events.txt", "text/event-stream"),
      "/schema": () => answer("live-schema.json", "application/json"),
      "/query": () => (asked.at(-1).includes("sumarize") ? answer("live-mistake.json", "application/json; charset=utf-8", 400) : answer("live-answer.html", "text/html; charset=utf-8")),
    }[url.pathname]?.() ?? { status: 404 });
  });
  await page.goto("http://lab.test/");
  return { page, problems, asked, close: () => context.close() };
}
