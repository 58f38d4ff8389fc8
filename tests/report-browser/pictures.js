// Creates pictures of every kind of page, wide and narrow, light and dark, for visual review: `npm run pictures [FOLDER]`
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch, open } from "./browser.js";

const folder = process.argv[2] ?? "pictures";
await mkdir(folder, { recursive: true });
const browser = await launch();
for (const id of process.env.PAGES?.split(",") ?? ["summary", "stage-1", "stage-4", "conditions"])
  for (const [name, options] of [["wide", {}], ["wide-dark", { dark: true }], ["phone", { width: 390, height: 844 }], ["phone-dark", { width: 390, height: 844, dark: true }]]) {
    const { page, close } = await open(browser, { page: id, ...options });
    const path = join(folder, `${id}-${name}.png`);
    if (process.env.ELEMENT) await page.locator(`.page.current ${process.env.ELEMENT}`).first().screenshot({ path });
    else await page.screenshot({ path, fullPage: process.env.FULL !== "0" });
    await close();
  }
await browser.close();
