import { mistakes, words } from "./kusto.js";

const places = [
  (name) => `let ${name} = 1; print x = 1`,
  (name) => `T | extend ${name} = 1`,
  (name) => `T | project a, ${name} = 1`,
  (name) => `T | summarize count() by ${name} = a`,
  (name) => `T | project ${name}`,
  (name) => `T | where ${name} > 1`,
  (name) => `T | where 1 < ${name}`,
  (name) => `T | project d.${name}`,
  (name) => `T | summarize max(${name})`,
];

/** Keywords that cannot name a column or a let statement in one of these positions. */
export const reserved = () => words().filter((name) => places.some((place) => mistakes(place(name)).length > 0));
