import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

// The package targets browsers: its two scripts define the globals Bridge and Kusto.
const require = createRequire(import.meta.url);
for (const file of ["bridge.min.js", "Kusto.Language.Bridge.min.js"]) {
  const path = require.resolve(`@kusto/language-service-next/${file}`);
  vm.runInThisContext(readFileSync(path, "utf8"), { filename: path });
}

const { Kusto, Bridge } = globalThis;
const { KustoCode, GlobalState, Symbols, Syntax } = Kusto.Language;

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** @param tables name → "column:type, …" */
export function database(tables) {
  const symbols = Object.entries(tables).map(([name, columns]) => new Symbols.TableSymbol.$ctor7(name, `(${columns})`, null));
  return GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.$ctor3("lab", null, symbols, false));
}

/** Reads a JSON file of this folder. */
export const contentOf = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));

/** Returns the errors of a query in Azure: grammar, and with a database also names and types. */
export function mistakes(query, globals) {
  const code = globals ? KustoCode.ParseAndAnalyze(query, globals) : KustoCode.Parse(query);
  return [...each(globals ? code.GetDiagnostics() : code.GetSyntaxDiagnostics())]
    .filter((it) => it.Severity === "Error")
    .map((it) => `line ${query.slice(0, it.Start).split("\n").length}: ${it.Message}`);
}

/** Returns every keyword that looks like a name. */
export const words = () => [...new Set([...each(Syntax.SyntaxFacts.Keywords)].map(String))].filter((word) => /^[A-Za-z_]\w*$/.test(word)).sort();

/** Iterates over one of the package's lists. */
function* each(list) {
  for (const items = Bridge.getEnumerator(list); items.moveNext(); ) yield items.Current;
}
