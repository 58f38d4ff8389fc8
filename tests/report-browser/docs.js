// Creates the report pictures in docs/images from reports of one commit: `npm run docs -- REPORT…`
import { resolve } from "node:path";

process.env.REPORT ??= process.argv[2];
const { launch, open } = await import("./browser.js");
const images = resolve(import.meta.dirname, "../../docs/images");

/** Picture: page of a report, part of the page (default: the window), height of the window. */
const pictures = {
  "report-summary": ["summary", [], 1130],
  "report-map": ["stage-1", ["#map-1"]],
  "report-stage-4": ["stage-4", ["#backlog-4", "#buffer-wait-4"]],
  "experiment-http-scale": ["http-scale", ["#http-scale-all-0"]],
  "experiment-tracking-pixel": ["tracking-pixel", ["#tracking-pixel-all-0"]],
};

const browser = await launch();
for (const file of process.argv.slice(2))
  for (const [name, [id, parts, height = 800]] of Object.entries(pictures)) {
    const { page, close } = await open(browser, { file, page: id, width: 1180, height });
    if (await page.locator(`#${id}.page.current`).count()) {
      const path = resolve(images, `${name}.png`);
      if (parts.length === 1) await page.locator(`.page.current ${parts[0]}`).first().screenshot({ path });
      else await page.screenshot({ path, ...(parts.length ? { clip: await around(page, parts), fullPage: true } : {}) });
      console.log(path);
    }
    await close();
  }
await browser.close();

/** Returns the smallest rectangle that contains all parts of a page. */
async function around(page, parts) {
  const boxes = await Promise.all(parts.map((part) => page.locator(`.page.current ${part}`).first().boundingBox()));
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return { x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}
