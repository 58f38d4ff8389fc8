import assert from "node:assert/strict";
import { leftText, openPage, seriousFindings, testsOf } from "./browser.js";

const at = (seconds) => new Date(Date.now() + 1000 * seconds).toISOString();
const place = (latitude, longitude) => ({ latitude, longitude });

/** A fake application that a test controls: `stage` of all deliveries, `down` services, a request that is `refused`. */
function application() {
  const app = { stage: "Pending", down: [], refused: null, droneId: "light-01", posted: [], deleted: [], flown: 60 };
  const status = (id) => {
    const [from, to] = [at(-app.flown), at(60)];
    return { deliveryId: id, stage: app.stage, pickupEta: app.plan?.pickupAt ?? from, deliveryEta: app.plan?.dropoffAt ?? to, failure: app.failure, events: [] };
  };
  const plan = () => (app.plan ??= {
    depot: place(47.6, -122.2), pickup: place(47.612, -122.195), dropoff: place(47.674, -122.121), distanceKm: 9.3,
    takeOff: at(-app.flown), pickupAt: at(app.stage === "HeadedToPickup" ? 20 : -30), dropoffAt: at(60), landing: at(120),
  });
  app.answer = (method, path, body) => {
    const [, service, id] = /^\/api\/(\w+)\/?([^?]*)/.exec(path);
    if (app.down.includes(service)) return { status: 502, body: "" };
    if (service === "drones") return { body: JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ droneId: `${i}`, assigned: i < 3 ? 1 : 0 }))) };
    if (method === "DELETE") return app.deleted.push(id), { status: 202, body: "{}" };
    if (method === "POST" && app.refused) return app.refused;
    if (method === "POST") {
      const deliveryId = `delivery-${app.posted.push(JSON.parse(body))}`;
      return { status: 202, headers: { Location: `/api/deliveryrequests/${deliveryId}?acceptance=a` }, body: JSON.stringify({ deliveryId }) };
    }
    if (service === "deliveries") return { body: JSON.stringify({ droneId: app.droneId, flightPlan: plan() }) };
    if (app.stage === "Pending") return { status: 202, body: JSON.stringify({ deliveryId: id, stage: "Pending" }) };
    if (app.stage !== "Failed") plan();
    return { body: JSON.stringify(app.stage === "Failed" ? { deliveryId: id, stage: "Failed", failure: app.failure, events: [] } : status(id)) };
  };
  return app;
}

let labs = 0;

/** A page with its own application and port, and thus with empty storage. */
const test = testsOf(async (browser, options) => {
  const lab = `http://lab.test:${8000 + ++labs}/`, allowed = (request) => request.url().startsWith(lab);
  const opened = await openPage(browser, { height: 900, allowed, expected: (text) => / (400|404|502) /.test(text), ...options });
  const { page } = opened, app = application();
  await page.route("**/*", (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === "/flights") return route.fulfill({ contentType: "text/html; charset=utf-8", body: leftText("flights.html") });
    if (!url.pathname.startsWith("/api/")) return route.fulfill({ status: 204 });
    return route.fulfill({ contentType: "application/json", ...app.answer(route.request().method(), url.pathname + url.search, route.request().postData()) });
  });
  await page.goto(`${lab}flights`);
  await page.getByText("60 drones, 3 with deliveries to fly").waitFor();
  return { ...opened, app };
});

const schedule = (page) => page.getByRole("button", { name: "Schedule", exact: true }).click();
const rows = (page) => page.locator("#list li");

test("a delivery is scheduled, followed to its end, and its drone flies on the map", async ({ page, app }) => {
  await page.locator("[name=from]").selectOption("Bellevue");
  await page.locator("[name=to]").selectOption("Redmond");
  await page.getByLabel("Expedited").check();
  await schedule(page);
  await rows(page).getByText("in the queue").waitFor();
  const [{ pickupLocation, dropOffLocation, expedited, ownerId }] = app.posted;
  assert.deepEqual([pickupLocation, dropOffLocation, expedited, ownerId], [place(47.612, -122.195), place(47.674, -122.121), true, "in-the-air"]);

  app.stage = "HeadedToPickup";
  await rows(page).getByText("to the pickup").waitFor();
  await rows(page).getByText(/light-01: pickup in 0:1\d/).waitFor();
  const drone = page.locator("#map .drone"), before = await drone.getAttribute("transform");
  await page.waitForFunction((was) => document.querySelector("#map .drone").getAttribute("transform") !== was, before);
  await page.locator("#events").getByText("light-01 took off").waitFor();

  app.stage = "Completed";
  await rows(page).getByText("delivered").waitFor();
  await rows(page).getByText("light-01 is back at a depot in").waitFor();
  assert.equal(await rows(page).getByRole("button", { name: /^Cancel/ }).isVisible(), false);
  assert.match(await page.locator("#events li").first().textContent(), /Bellevue → Redmond delivered/);
});

test("a failed request shows the reason, and another can be canceled", async ({ page, app }) => {
  await schedule(page);
  app.failure = { reason: "urn:drone-delivery:no-suitable-drone", detail: "No drone can carry it that far." };
  app.stage = "Failed";
  await rows(page).getByText("No drone can carry it that far.").waitFor();
  app.stage = "Pending";
  await schedule(page);
  await page.getByRole("button", { name: /^Cancel/ }).first().click();
  await page.locator("#events").getByText("is to be cancelled").waitFor();
  assert.deepEqual(app.deleted, ["delivery-2"]);
});

test("errors are shown until they are resolved", async ({ page, app }) => {
  app.refused = { status: 400, body: JSON.stringify({ title: "Wrong", errors: { pickupTime: ["Must be within 10 years."] } }) };
  await schedule(page);
  await page.getByRole("alert").getByText("Must be within 10 years.").waitFor();
  app.refused = null;
  await schedule(page);
  await page.locator("#refused").waitFor({ state: "hidden" });
  app.down = ["deliveryrequests"];
  await page.getByRole("alert").getByText("Ingestion does not answer (502). The page tries again.").waitFor();
  app.down = [];
  await page.locator("#trouble").waitFor({ state: "hidden" });
});

test("lists are bounded, and text is escaped", async ({ page, app }) => {
  app.droneId = "<img src=x onerror=hacked=1>";
  for (let i = 0; i < 26; i++) {
    await schedule(page);
    await page.waitForFunction((n) => document.querySelectorAll("#list li").length >= n, Math.min(24, i + 1));
  }
  app.stage = "HeadedToDropoff";
  await page.locator("#map .drone").nth(23).waitFor();
  await page.waitForFunction(() => { for (let i = 0; i < 300; i++) tell(Date.now(), deliveries.values().next().value, `event ${i}`); return true; });
  assert.deepEqual([await rows(page).count(), await page.locator("#events li").count(), app.posted.length], [24, 200, 26]);
  assert.equal(await page.evaluate(() => typeof hacked), "undefined");
});

test("a reloaded page keeps its deliveries and drops unknown ones", async ({ page, app }) => {
  await schedule(page);
  await rows(page).first().waitFor();
  await page.reload();
  await rows(page).getByText("in the queue").waitFor();
  const { answer } = app;
  app.answer = (method, path, body) => (path.includes("delivery-1") ? { status: 404, body: "{}" } : answer(method, path, body));
  await page.locator("#events").getByText("is not known any more").waitFor();
  assert.equal(await rows(page).count(), 0);
});

for (const [name, options] of [["light", {}], ["dark", { dark: true }], ["narrow", { width: 390, height: 800 }]])
  test(`the page is accessible: ${name}`, options, async ({ page, app }) => {
    const button = page.getByRole("button", { name: "Schedule", exact: true });
    for (let i = 0; i < 20 && !(await button.evaluate((it) => it === document.activeElement)); i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    app.stage = "HeadedToDropoff";
    await rows(page).getByText("to the drop-off").waitFor();
    assert.ok(await button.evaluate((it) => it === document.activeElement), "the keyboard stays on the button");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".head").getAttribute("aria-pressed"), "true");
    assert.deepEqual(await seriousFindings(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is cut off at the side");
  });
