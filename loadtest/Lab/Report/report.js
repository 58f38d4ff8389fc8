// What a page can do beyond being read: pages by link, a crosshair over all charts of a page, zoom, tables, CSV, copying.
// Everything below works on what the page already contains; nothing is loaded.
'use strict';

const svg = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const html = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const clock = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const number = value => value === null || value === undefined ? '–' : value.toLocaleString('en', { maximumSignificantDigits: 4 });

// ---- Pages

function showPage() {
  const pages = [...document.querySelectorAll('.page')];
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1).split('?')[0]));
  const page = target?.closest('.page') ?? pages[0];
  pages.forEach(it => it.classList.toggle('current', it === page));
  document.querySelectorAll('nav a').forEach(link => {
    if (link.hash === `#${page.id}`) { link.setAttribute('aria-current', 'page'); link.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
    else link.removeAttribute('aria-current');
  });
  if (target === page) scrollTo(0, 0); else target?.scrollIntoView();
}

// ---- Charts

const charts = new WeakMap(); // svg → chart
const tip = html('div', { className: 'tip', hidden: true });

class Chart {
  constructor(figure) {
    this.figure = figure;
    this.drawing = figure.querySelector(':scope > svg');
    this.plot = this.drawing.querySelector('.plot');
    this.data = JSON.parse(figure.querySelector('script.data').textContent);
    [this.left, this.top, this.width, this.height] = this.data.area;
    this.from = 0;
    this.to = this.data.xMax;
    this.cross = svg('line', { class: 'cross', y1: this.top, y2: this.top + this.height, visibility: 'hidden' });
    this.drawing.append(this.cross);
    this.times = this.drawing.querySelector('.times').innerHTML;
  }

  get siblings() { return [...this.figure.closest('.page').querySelectorAll('figure.chart > svg')].map(it => charts.get(it)).filter(it => it); }
  text(x) { return clock(x); }
  xOf(line) { return line.x ?? this.data.x; }
  at(seconds) { return this.left + (seconds - this.from) / (this.to - this.from) * this.width; }
  secondsAt(clientX) {
    const box = this.drawing.getBoundingClientRect();
    const x = (clientX - box.left) / box.width * this.drawing.viewBox.baseVal.width;
    return Math.min(this.to, Math.max(this.from, this.from + (x - this.left) / this.width * (this.to - this.from)));
  }

  // A value holds until the next one where the line steps; elsewhere the nearest point counts.
  valueAt(line, seconds) {
    const xs = this.xOf(line);
    let best = -1;
    for (let i = 0; i < xs.length; i++)
      if (line.step ? xs[i] <= seconds : best < 0 || Math.abs(xs[i] - seconds) < Math.abs(xs[best] - seconds)) best = i;
    return best < 0 || seconds > xs[xs.length - 1] + (xs[1] - xs[0] || 1) ? null : line.y[best];
  }

  isShown(i) { return this.figure.querySelector(`.legend [data-line="${i}"]`)?.getAttribute('aria-pressed') !== 'false'; }

  mark(seconds) {
    const shown = seconds !== null && seconds >= this.from && seconds <= this.to;
    this.cross.setAttribute('visibility', shown ? 'visible' : 'hidden');
    if (shown) { this.cross.setAttribute('x1', this.at(seconds)); this.cross.setAttribute('x2', this.at(seconds)); }
  }

  point(seconds, clientX, clientY) {
    this.seconds = seconds;
    this.siblings.forEach(chart => chart.mark(seconds));
    const rows = this.data.lines.map((line, i) => this.isShown(i) && html('tr', {},
      html('td', {}, html('i', { className: `c-${line.color}` }), line.name), html('td', {}, number(this.valueAt(line, seconds))))).filter(row => row);
    tip.replaceChildren(html('b', {}, this.text(seconds)), ` ${this.data.unit}`, html('table', {}, html('tbody', {}, ...rows)));
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, clientY - tip.offsetHeight - 12)}px`;
  }

  leave() { tip.hidden = true; this.seconds = null; this.siblings.forEach(chart => chart.mark(null)); }

  // All charts of a page show the same stretch of time.
  zoom(from, to) {
    if (to - from < 2) return;
    this.siblings.forEach(chart => chart.show(Math.max(0, from), Math.min(chart.data.xMax, to)));
  }

  reset() { this.siblings.forEach(chart => chart.show(0, chart.data.xMax)); }

  show(from, to) {
    const whole = from <= 0 && to >= this.data.xMax;
    [this.from, this.to] = [from, to];
    const scale = this.width / this.data.xMax;
    this.plot.setAttribute('viewBox', `${from * scale} 0 ${(to - from) * scale} ${this.height}`);
    this.plot.classList.toggle('zoomed', !whole);
    this.drawing.querySelector('.at-times').classList.toggle('hidden', !whole);
    const times = this.drawing.querySelector('.times');
    times.innerHTML = this.times;
    if (!whole) times.replaceChildren(...Array.from({ length: 5 }, (_, i) => {
      const text = svg('text', { class: 'x', x: this.left + this.width * i / 4, y: this.top + this.height + 22 });
      text.textContent = this.text(from + (to - from) * i / 4);
      return text;
    }));
    this.figure.querySelector('.reset').hidden = whole;
  }

  table() {
    const times = [...new Set(this.data.lines.flatMap(line => this.xOf(line)))].sort((a, b) => a - b);
    const columns = this.data.lines.map(line => new Map(this.xOf(line).map((x, i) => [x, line.y[i]])));
    return times.map(time => [time, ...columns.map(column => column.get(time) ?? null)]);
  }

  get head() { return ['seconds', ...this.data.lines.map(line => line.name)]; }
}

function listen(chart) {
  const { drawing } = chart;
  let start = null, box = null;
  drawing.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse') start = chart.secondsAt(event.clientX); });
  drawing.addEventListener('pointermove', event => {
    const seconds = chart.secondsAt(event.clientX);
    chart.point(seconds, event.clientX, event.clientY);
    if (start === null || !(event.buttons & 1)) return;
    box ??= drawing.appendChild(svg('rect', { class: 'selection', y: chart.top, height: chart.height }));
    box.setAttribute('x', chart.at(Math.min(start, seconds)));
    box.setAttribute('width', Math.abs(chart.at(seconds) - chart.at(start)));
  });
  drawing.addEventListener('pointerup', event => {
    if (box) { const end = chart.secondsAt(event.clientX); chart.zoom(Math.min(start, end), Math.max(start, end)); }
    box?.remove();
    start = box = null;
  });
  drawing.addEventListener('pointerleave', () => { box?.remove(); start = box = null; chart.leave(); });
  drawing.addEventListener('dblclick', () => chart.reset());
  drawing.addEventListener('blur', () => chart.leave());
  drawing.addEventListener('keydown', event => onKey(chart, event));
}

// Arrows move the crosshair, + and − zoom around it, Escape shows everything.
function onKey(chart, event) {
  const span = chart.to - chart.from, seconds = chart.seconds ?? (chart.from + chart.to) / 2;
  const move = { ArrowLeft: -span / 50, ArrowRight: span / 50, Home: -span, End: span }[event.key];
  const zoom = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
  if (move) {
    const to = Math.min(chart.to, Math.max(chart.from, seconds + move)), box = chart.drawing.getBoundingClientRect();
    chart.point(to, box.left + chart.at(to) / chart.drawing.viewBox.baseVal.width * box.width, box.top + box.height / 3);
  } else if (zoom) chart.zoom(seconds - span * zoom / 2, seconds + span * zoom / 2);
  else if (event.key === 'Escape') { chart.reset(); chart.leave(); }
  else return;
  event.preventDefault();
}

function addTools(chart) {
  const { figure } = chart, tools = html('div', { className: 'tools' });
  const values = html('div', { className: 'values', hidden: true });
  const table = html('button', { type: 'button', textContent: 'Table', ariaExpanded: 'false' });
  table.onclick = () => {
    values.hidden = !values.hidden;
    table.ariaExpanded = String(!values.hidden);
    if (!values.firstChild) values.append(html('table', {}, html('thead', {}, html('tr', {}, ...chart.head.map(name => html('th', { className: 'number', scope: 'col' }, name)))),
      html('tbody', {}, ...chart.table().map(row => html('tr', {}, ...row.map(cell => html('td', { className: 'number' }, number(cell))))))));
  };
  const csv = html('button', { type: 'button', className: 'csv', textContent: 'CSV' });
  csv.onclick = () => download(`${figure.id}.csv`, [chart.head, ...chart.table()].map(row => row.map(cell => cell ?? '').join(',')).join('\n') + '\n');
  const reset = html('button', { type: 'button', className: 'reset', textContent: 'Reset zoom', hidden: true });
  reset.onclick = () => chart.reset();
  tools.append(...figure.querySelectorAll(':scope > .kql'), table, csv, reset, values);
  figure.append(tools);
}

function toggle(button) {
  const shown = button.getAttribute('aria-pressed') === 'false';
  button.setAttribute('aria-pressed', shown);
  button.closest('figure').querySelectorAll(`svg [data-line="${button.dataset.line}"]`).forEach(line => line.classList.toggle('hidden', !shown));
}

function download(name, text) {
  const link = html('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/csv' })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

// A page that is opened from disk may have no clipboard of its own.
async function copy(button) {
  const code = button.parentElement.querySelector('pre code');
  try { await navigator.clipboard.writeText(code.textContent); }
  catch {
    getSelection().selectAllChildren(code);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy query'; }, 1500);
}

function prepare(root) {
  root.querySelectorAll('figure.chart').forEach(figure => {
    const chart = new Chart(figure);
    charts.set(chart.drawing, chart);
    addTools(chart);
    listen(chart);
  });
}

document.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (button?.matches('.legend button')) toggle(button);
  if (button?.matches('.copy')) copy(button);
});
document.documentElement.classList.add('paged');
document.body.append(tip);
addEventListener('hashchange', showPage);
prepare(document);
showPage();
