// What the live page does beyond a report: it takes in what changed, and asks queries.

function put(id, markup) {
  const element = document.getElementById(id);
  if (!element) return;
  // Who has opened something or zoomed keeps it until it is closed.
  if (id !== 'stage' && element.querySelector('details[open], .values:not([hidden]), .reset:not([hidden])')) return;
  element.innerHTML = markup;
  prepare(element);
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
  const response = await fetch('/query', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: text.value });
  const body = await response.text();
  if (response.ok) answer.innerHTML = body;
  else answer.replaceChildren(html('p', { className: 'error' }, body));
  prepare(answer);
};

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
