// What the live page does beyond a report: it takes in what changed, and asks queries.

function put(id, markup) {
  const element = document.getElementById(id);
  if (!element) return;
  // Who has opened something or zoomed keeps it until it is closed.
  if (id !== 'stage' && element.querySelector('details[open], .values:not([hidden]), .reset:not([hidden])')) return;
  const hidden = [...element.querySelectorAll('.legend [aria-pressed=false]')].map(button => button.textContent);
  const focused = element.contains(document.activeElement) && document.activeElement.matches('figure > svg');
  const seconds = charts.get(element.querySelector('figure.chart > svg'))?.seconds ?? null;
  element.innerHTML = markup;
  prepare(element);
  // The rest of what somebody is looking at goes over to the new drawing.
  element.querySelectorAll('.legend button').forEach(button => hidden.includes(button.textContent) && toggle(button));
  const drawing = element.querySelector('figure.chart > svg');
  if (drawing && seconds !== null) charts.get(drawing).mark(charts.get(drawing).seconds = seconds);
  if (focused) drawing?.focus({ preventScroll: true });
}

const events = new EventSource('/events');
events.onmessage = message => {
  document.getElementById('lost').hidden = true;
  // The stage holds the places of the charts: it comes first.
  const { stage, ...pieces } = JSON.parse(message.data).pieces;
  if (stage !== undefined) put('stage', stage);
  Object.entries(pieces).forEach(([id, markup]) => put(id, markup));
};
events.onerror = () => { document.getElementById('lost').hidden = false; };

// ---- Queries

const form = document.getElementById('ask'), text = document.getElementById('kql'), words = document.getElementById('words');
const operators = ['where', 'summarize', 'extend', 'project', 'order by', 'top', 'take', 'join kind=inner', 'union', 'distinct', 'count', 'render timechart',
  'sum(', 'sumif(', 'countif(', 'avg(', 'min(', 'max(', 'dcount(', 'percentile(', 'percentiles(', 'bin(timestamp, 5s)', 'ago(', 'has', 'contains', 'startswith', 'endswith', 'between'];
let schema = {};

form.onsubmit = async event => {
  event.preventDefault();
  const answer = document.getElementById('answer');
  let response;
  try { response = await fetch('/query', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: text.value }); }
  catch { answer.replaceChildren(html('p', { className: 'error' }, 'The lab does not answer: the run is over. `./lab query` asks the run that it has kept.')); return; }
  if (response.ok) answer.innerHTML = await response.text();
  else if (response.headers.get('Content-Type').startsWith('application/json')) answer.replaceChildren(mistake(await response.json()));
  else answer.replaceChildren(html('p', { className: 'error' }, await response.text()));
  prepare(answer);
};

// What is wrong, what to do about it, and the place in the query.
function mistake({ line, column, reason, hint }) {
  const lines = text.value.split('\n');
  const at = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, column - 1);
  const select = () => { text.focus(); text.setSelectionRange(at, at + (/^\w+|^./.exec(text.value.slice(at))?.[0].length ?? 0)); };
  select();
  return html('div', { className: 'error' },
    html('p', {}, html('button', { type: 'button', className: 'place', onclick: select }, `Line ${line}, column ${column}`), ` ${reason}`),
    html('pre', {}, `${lines[line - 1] ?? ''}\n${' '.repeat(column - 1)}^`),
    ...(hint ? [html('p', {}, hint)] : []));
}

document.getElementById('answer').addEventListener('click', event => {
  const shape = event.target.closest('[data-of]');
  if (!shape) return;
  const answer = event.currentTarget;
  answer.querySelectorAll('[data-of]').forEach(button => button.setAttribute('aria-pressed', button === shape));
  answer.querySelectorAll('[data-shape]').forEach(part => { part.hidden = part.dataset.shape !== shape.dataset.of; });
});

document.getElementById('files').onchange = event => {
  if (event.target.value) text.value = event.target.value;
  event.target.value = '';
  text.focus();
};

// Columns of the tables that the query names, then tables, then operators.
function matches(prefix) {
  const tables = Object.keys(schema);
  const named = tables.filter(table => text.value.includes(table)).flatMap(table => Object.keys(schema[table]));
  return [...new Set([...named, ...tables, ...operators])].filter(word => word.toLowerCase().startsWith(prefix.toLowerCase()) && word !== prefix).slice(0, 8);
}

function prefix() { return /[\w]*$/.exec(text.value.slice(0, text.selectionStart))[0]; }

async function suggest() {
  if (!Object.keys(schema).length) schema = await (await fetch('/schema')).json();
  const start = prefix(), found = start.length < 2 ? [] : matches(start);
  words.replaceChildren(...found.map(word => html('li', {}, html('button', { type: 'button', onclick: () => complete(word) }, word))));
  words.hidden = found.length === 0;
}

function complete(word) {
  const end = text.selectionStart;
  text.setRangeText(word, end - prefix().length, end, 'end');
  words.hidden = true;
  text.focus();
}

text.addEventListener('input', suggest);
text.addEventListener('keydown', event => {
  if (event.key === 'Tab' && !words.hidden) { event.preventDefault(); complete(words.querySelector('button').textContent); }
  if (event.key === 'Escape') words.hidden = true;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
