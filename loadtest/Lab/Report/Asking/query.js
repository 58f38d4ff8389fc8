// Queries that are typed into a page, and answered by the lab that it came from.

const form = document.getElementById('ask'), text = document.getElementById('kql'), words = document.getElementById('words');
const operators = ['where', 'summarize', 'extend', 'project', 'order by', 'top', 'take', 'join kind=inner', 'union', 'distinct', 'count', 'render timechart',
  'sum(', 'sumif(', 'countif(', 'avg(', 'min(', 'max(', 'dcount(', 'percentile(', 'percentiles(', 'bin(timestamp, 5s)', 'ago(', 'has', 'contains', 'startswith', 'endswith', 'between'];
let schema = {};

form.onsubmit = async event => {
  event.preventDefault();
  const answer = document.getElementById('answer');
  let response;
  try { response = await fetch('/query', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: text.value }); }
  catch { answer.replaceChildren(html('p', { className: 'error' }, 'The lab does not answer. `./lab query` asks a run that is over.')); return; }
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

// Every query that the page shows can be changed, and asked again.
document.addEventListener('toggle', event => {
  const shown = event.target;
  if (!shown.matches('details.kql') || shown.querySelector('.act')) return;
  const change = () => {
    text.value = shown.querySelector('pre code').textContent;
    addEventListener('hashchange', () => text.focus(), { once: true }); // its page is shown by then
    location.hash = '#query';
  };
  shown.append(' ', html('button', { type: 'button', className: 'act', onclick: change }, 'Change it'));
}, true);
