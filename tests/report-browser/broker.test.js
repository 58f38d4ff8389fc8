import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Broker } from "../sdk-js/broker.js";
import { openPage, seriousFindings, testsOf } from "./browser.js";

let broker;
before(async () => (broker = await Broker.start()));
after(() => broker?.stop());

const test = testsOf(async (browser) => {
  const opened = await openPage(browser, { allowed: (request) => request.url().startsWith(broker.address) });
  await opened.page.goto(`${broker.address}/`);
  return opened;
});

const send = async (page, fields) => {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("1 sent").waitFor();
};

const openQueue = async (page, name) => {
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
};

test("a message is sent, counted, and shown with its body and properties as text", async ({ page }) => {
  const queue = await broker.createQueue({}, "shown");
  await openQueue(page, queue);
  await send(page, { Body: "<script>hacked=1</script>", "Message ID": "m1", Subject: "order", "Properties, as a JSON object": '{"color": "<b>red</b>"}' });

  const message = page.getByRole("table", { name: /Messages/ }).getByRole("row").nth(1);
  await message.getByText("<script>hacked=1</script>").waitFor();
  assert.match(await message.textContent(), /MessageId = m1[^]*Subject = order[^]*color = <b>red<\/b>/);
  await page.waitForFunction((name) => [...entities.rows].find((row) => row.cells[0].textContent.startsWith(name)).cells[3].textContent === "1", queue);
  assert.equal(await page.evaluate(() => typeof hacked), "undefined");
  assert.deepEqual(await seriousFindings(page), []);
});

test("an invalid message is reported and not sent", async ({ page, problems }) => {
  await openQueue(page, await broker.createQueue({ RequiresSession: true }, "with-sessions"));
  await page.getByLabel("Body", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(/session/i).and(page.locator("#done")).waitFor();
  assert.match(problems.splice(0).join(), /400/, "the browser logs the refusal");
});

test("dead letters are listed with their reason, replayed, and purged", async ({ page }) => {
  const brief = { DefaultMessageTimeToLive: "PT1S", DeadLetteringOnMessageExpiration: true };
  const queue = await broker.createQueue(brief, "brief");
  await openQueue(page, queue);
  for (const body of ["a", "b", "c", "d"]) await send(page, { Body: body });
  await page.getByRole("link", { name: "4", exact: true }).click();
  const messages = page.getByRole("table", { name: /Messages/ }).getByRole("row");
  await messages.nth(4).waitFor();
  assert.match(await messages.nth(1).textContent(), /TTLExpiredException/);

  await broker.updateQueue(queue, { ...brief, DefaultMessageTimeToLive: "P1D" });
  await page.getByRole("button", { name: "Replay 2", exact: true }).click();
  await page.getByText("1 replayed").waitFor();
  assert.deepEqual(await messages.locator("td:nth-child(6)").allTextContents(), ["a", "c", "d"]);
  await page.getByRole("button", { name: "Replay all" }).click();
  await page.getByText("3 replayed").waitFor();
  await page.getByRole("link", { name: "Messages" }).click();
  await messages.nth(4).waitFor();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Purge" }).click();
  await page.getByText("4 purged").waitFor();
  await page.getByRole("table", { name: "No messages" }).waitFor();
});

test("a link keeps the focus while the counts change", async ({ page }) => {
  const queue = await broker.createQueue({}, "focused");
  const link = page.getByRole("link", { name: queue, exact: true });
  await link.focus();
  const response = await page.waitForResponse(/counters/);
  await response.finished();
  await page.waitForResponse(/counters/);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), queue);
});
