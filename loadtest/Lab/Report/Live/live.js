// What the live page does beyond a report: it takes in what changed, and stops replicas.

function put(id, markup) {
  const element = document.getElementById(id);
  if (!element) return;
  // Who has opened something or zoomed keeps it until it is closed.
  if (id !== 'stage' && element.querySelector('details[open], .values:not([hidden]), .reset:not([hidden])')) return;
  const hidden = [...element.querySelectorAll('.legend [aria-pressed=false]')].map(button => button.textContent);
  const focused = element.contains(document.activeElement) && document.activeElement.matches('figure > svg');
  const { seconds = null, pinned = null } = charts.get(element.querySelector('figure.chart > svg')) ?? {};
  const link = element.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  element.innerHTML = markup;
  prepare(element);
  // The rest of what somebody is looking at goes over to the new drawing.
  element.querySelectorAll('.legend button').forEach(button => hidden.includes(button.textContent) && toggle(button));
  const drawing = element.querySelector('figure.chart > svg');
  if (drawing && seconds !== null) charts.get(drawing).mark(charts.get(drawing).seconds = seconds);
  if (drawing && pinned !== null) charts.get(drawing).pin(pinned);
  if (link) [...element.querySelectorAll('a')].find(it => it.getAttribute('href') === link)?.focus({ preventScroll: true });
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

// ---- Resources

const resources = document.getElementById('resources'), resourceRows = document.getElementById('resources-rows');
const resourceSays = document.getElementById('resources-says'), resourceLog = document.getElementById('resources-log');
const mebibytes = bytes => bytes === null ? '' : `${(bytes / 1048576).toFixed(0)} MiB`;

// The same once more would be read aloud once more.
function say(text) { if (resourceSays.textContent !== text) resourceSays.textContent = text; }

async function showResources() {
  if (!resources.classList.contains('current') || document.hidden) return;
  let answer;
  try { answer = await (await fetch('/resources')).json(); } catch { say('The lab does not answer.'); return; }
  const { mayChange, rows } = answer;
  if (rows.length === 0) { say('The lab has started no processes here.'); resourceRows.replaceChildren(); return; }
  if (!mayChange) say('What is measured is only shown. Replicas can be stopped while ./lab up runs.');
  // Who is pressing a button keeps it under the finger.
  if (resourceRows.querySelector('button:active')) return;
  const { row: focusedRow, does } = resourceRows.contains(document.activeElement) ? document.activeElement.dataset : {};
  resourceRows.replaceChildren(html('div', { className: 'scroll' }, html('table', {}, html('caption', {}, 'Processes'),
    html('thead', {}, html('tr', {}, ...['process', 'state', 'CPU', 'memory', 'restarts', 'last exit', ''].map((name, i) => html('th', { scope: 'col', className: i > 1 && i < 6 ? 'number' : '' }, name)))),
    html('tbody', {}, ...rows.map(resourceRow)))));
  // Stop has become Start, or is no button for a while.
  const own = [...resourceRows.querySelectorAll('button')].filter(button => button.dataset.row === focusedRow);
  (own.find(button => button.dataset.does === does) ?? own[0])?.focus({ preventScroll: true });
}

function resourceRow(row) {
  const good = ['ready', 'running'].includes(row.state), number = text => html('td', { className: 'number' }, text);
  const act = (name, does, disabled = false) => {
    const button = html('button', { type: 'button', className: 'act', ariaLabel: `${name} ${row.name}`, onclick: does, disabled }, name);
    Object.assign(button.dataset, { row: row.name, does: name === 'Log' ? 'log' : 'change' });
    return button;
  };
  return html('tr', {}, html('th', { scope: 'row' }, row.name), html('td', { className: good ? 'holds' : 'fails' }, row.state),
    number(row.cpu === null ? '' : `${row.cpu.toFixed(0)} %`), number(mebibytes(row.memory)), number(`${row.restarts}`), number(row.lastExit === null ? '' : `${row.lastExit}`),
    html('td', {}, act('Log', () => showLog(row.name)), ...(row.can ? [' ', act(row.can === 'stop' ? 'Stop' : 'Start', () => change(row.name, row.can), changing.has(row.name))] : [])));
}

const changing = new Set();

async function change(name, what) {
  if (changing.has(name)) return;
  changing.add(name);
  say(what === 'stop' ? `${name} is asked to end, and finishes what it is doing…` : `${name} is starting…`);
  try {
    const answer = await fetch(`/resources/${encodeURIComponent(name)}/${what}`, { method: 'POST', headers: { 'X-Lab-Token': resources.dataset.token } });
    say(!answer.ok ? `${name}: ${(await answer.json()).detail}`
      : what === 'stop' ? `${name} has ended. It stays so until you start it.` : `${name} is ready again.`);
  } catch { say('The lab does not answer.'); }
  changing.delete(name);
  await showResources();
}

function closeLog() {
  resourceLog.hidden = true;
  [...resourceRows.querySelectorAll('[data-does=log]')].find(button => button.dataset.row === resourceLog.dataset.row)?.focus();
}

async function showLog(name) {
  const title = html('h3', { tabIndex: -1 }, `The end of the log of ${name}`);
  const text = await fetch(`/resources/${encodeURIComponent(name)}/log`).then(answer => answer.text()).catch(() => 'The lab does not answer.');
  resourceLog.replaceChildren(title, html('pre', { tabIndex: 0 }, text || 'Nothing yet.'), html('button', { type: 'button', className: 'act', onclick: closeLog }, 'Close'));
  resourceLog.dataset.row = name;
  resourceLog.hidden = false;
  title.focus();
}

addEventListener('hashchange', showResources);
setInterval(showResources, 2000);
showResources();
