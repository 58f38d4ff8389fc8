import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { database, mistakes, root, contentOf } from "./kusto.js";
import { reserved } from "./names.js";

const lab = database(contentOf("tables.json"));
const read = (path) => readFileSync(root + path, "utf8");
const files = (folder, ending) =>
  readdirSync(root + folder, { recursive: true }).filter((name) => name.endsWith(ending) && !/\b(bin|obj|node_modules)\b/.test(name)).sort().map((name) => `${folder}/${name}`);

/** Prepares a query like the lab, its report, and its replays: for one stage. */
const ofStage = (query) =>
  query.replace(/^let (start|end) = .*;$/gm, "let $1 = datetime(2030-01-01T12:00:00.000Z);");

const azure = database(Object.fromEntries(Object.entries(contentOf("tables.json")).filter(([name]) => !/Samples$|^stages$|^gaps$/.test(name))));
const workspace = database(contentOf("workspace-tables.json"));

for (const [folder, tables] of [["application-insights", azure], ["lab", lab]])
  for (const path of files(`loadtest/queries/${folder}`, ".kql")) {
    test(`${path} is valid in Azure`, () => {
      assert.deepEqual(mistakes(read(path), tables), []);
      assert.deepEqual(mistakes(ofStage(read(path)), tables), []);
    });
  }

for (const { name, content } of JSON.parse(read("infra/dashboards/workbook.json")).items.filter(({ type }) => type === 3)) {
  test(`the workbook's ${name} is valid in Azure`, () => {
    assert.deepEqual(mistakes(content.query.replaceAll(/\{TimeRange:(start|end)ISO\}/g, "2030-01-01T12:00:00.000Z"), azure), []);
  });
}

test("queries that are compared with the documentation are valid in Azure", () => {
  const lines = read("tests/Telemetry.Tests/Query/documented.txt").split("\n").filter((line) => line.includes(" => ") && !line.startsWith("#"));
  const asked = lines.map((line) => line.replace(/^~/, "").split(" => ")[0]).map((it) => (/^(datatable\(|print |range |union )/.test(it) ? it : `print ${it}`));
  assert.deepEqual(asked.flatMap((query) => mistakes(query, azure).map((mistake) => [query, mistake])), []);
});

test("every query in the lab's folder needs a table of the lab", () => {
  assert.deepEqual(files("loadtest/queries/lab", ".kql").filter((path) => mistakes(read(path), azure).length === 0), []);
});

for (const [name, lines] of Object.entries(contentOf("workspace.json"))) {
  test(`${name} is valid in a workspace`, () => assert.deepEqual(mistakes(lines.join("\n"), workspace), []));
}

test("a replay's queries need no table of the lab", () => {
  const queries = files("loadtest/queries", ".kql");
  const texts = [...read("loadtest/Lab/Stages/Figures/TelemetryFigures.cs").matchAll(/"([a-z-]+)"/g)].map(([, text]) => text);
  const names = texts.filter((text) => queries.some((path) => path.endsWith(`/${text}.kql`)));
  assert.ok(names.length > 10, `only ${names.length} were found`);
  for (const name of new Set(names)) {
    const query = read(queries.find((path) => path.endsWith(`/${name}.kql`)));
    const asked = query.includes("queueSamples") ? read("tests/kusto/samples.kql") + query : query;
    assert.deepEqual([name, mistakes(asked, azure)], [name, []]);
  }
});

/** Queries in texts: after the command, in the code, and the first ones of the live page. */
const places = [
  [".md", /\.\/lab query (?:-e )?'([^']*\|[^']*)'/g],
  [".cs", /["\s]query (?:-e )?'([^']*\|[^']*)'/g],
  [".cs", /KqlQuery\.Parse\(\s*"((?:[^"\\]|\\.)*)"\s*\)/g],
  [".cs", /<textarea id="kql"[^>]*>([^<]*)<\/textarea>/g],
];
const texts = ["docs", "loadtest", "bench"].flatMap((folder) => [...files(folder, ".md"), ...files(folder, ".cs")]).concat("README.md");
const written = texts.flatMap((path) =>
  places.filter(([ending]) => path.endsWith(ending)).flatMap(([, place]) => [...read(path).matchAll(place)].map(([, query]) => ({ path, query: query.trim() }))));

test("queries in documents, help, and code are valid in Azure", () => {
  assert.ok(written.length >= 4, `only ${written.length} were found`);
  assert.deepEqual(written.map(({ path, query }) => ({ path, query, mistakes: mistakes(query, lab) })).filter((it) => it.mistakes.length > 0), []);
});

test("the engine and Azure reserve the same words", () => {
  const [, words] = read("local/Telemetry/Query/Syntax/ReservedNames.cs").match(/"""([^"]*)"""/);
  assert.deepEqual(words.trim().split(/\s+/).sort(), reserved());
});

/** Azure accepts queries that the engine rejects only because it is a subset. */
test("the engine and Azure agree on generated queries", () => {
  const verdicts = contentOf("verdicts.json");
  assert.ok(verdicts.length >= 200 && new Set(verdicts.map(([verdict]) => verdict)).size === 3);
  const judged = verdicts.map(([verdict, query]) => ({ query, verdict, mistakes: mistakes(query, lab) }));
  assert.deepEqual(judged.filter((it) => (it.verdict === "refused") !== (it.mistakes.length > 0)), []);
});
