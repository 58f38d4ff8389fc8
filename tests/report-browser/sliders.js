// How long after a slider moves its curve is drawn: in a browser, with the page of a lab that runs (`./lab plan 4 --open`), whose address is given.
import { launch } from "./browser.js";

const address = process.argv[2] ?? "http://localhost:5081/what-if?stage=4";
const browser = await launch();
const page = await browser.newPage();
await page.goto(address);
await page.locator("#throughput path.line").first().waitFor();
const times = await page.evaluate(async () => {
  const sliders = [["workflow.prefetchCount", 200, 3000, 20], ["queue.lockDuration", 30, 300, 5], ["workflow.replicas", 1, 12, 1], ["nodes.count", 4, 20, 1]];
  const drawn = (element) => new Promise((resolve) => {
    const observer = new MutationObserver(() => { observer.disconnect(); requestAnimationFrame(() => setTimeout(resolve)); });
    observer.observe(element, { childList: true });
  });
  const times = [];
  for (let move = 0; move < 200; move++) {
    const [name, min, max, step] = sliders[move % sliders.length], slider = document.getElementById(name);
    // A fixed walk through the range, so that two measurements move alike.
    const value = min + step * ((move * 7919) % Math.floor((max - min) / step));
    if (Number(slider.value) === value) continue;
    const seen = drawn(document.getElementById("command"));
    slider.value = value;
    const began = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await seen;
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
});
const at = (share) => times[Math.ceil(share * times.length) - 1].toFixed(0);
console.log(`${times.length} moves: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms`);
await browser.close();
