// Lists of requests, calls and failures, and any transaction as a waterfall: in a report on disk from the sample that it contains,
// elsewhere from what the lab answers. The address says what is shown. Whatever a service has sent is written as text, never as markup.

const kinds = ['request', 'dependency', 'exception', 'trace', 'event'];
const unpack = ({ texts, traces }) => traces.map(trace => ({
  ...trace,
  steps: trace.steps.map(([kind, depth, start, duration, service, instance, name, result, failed, message, attributes, stack]) => ({
    kind: kinds[kind], depth, start, duration, service: texts[service], instance: texts[instance], name: texts[name], result: texts[result], failed: failed === 1, message: texts[message],
    attributes: attributes.flatMap((name, i) => i % 2 === 0 ? [[texts[name], texts[attributes[i + 1]]]] : []), stack: texts[stack],
  })),
}));
const ofDay = time => Number.isNaN(Date.parse(time)) ? time : new Date(time).toISOString().slice(11, 23);
const withoutType = step => step.kind === 'dependency' ? step.name.replace(/^[^:]*: /, '') : step.name;

const listed = Object.fromEntries(Object.entries({ requests: 'request', calls: 'dependency', deliveries: 'delivery', logs: 'trace' }).map(([list, what]) => [list, row => row.what === what]));

// The message of a delivery, from its acceptance to the end of its last handling; nothing where none was handled.
function delivery({ at, operation, steps }) {
  const handled = steps.filter(step => step.kind === 'request' && step.name.endsWith('ProcessMessage')), last = handled.at(-1);
  if (!last) return [];
  const of = (step, name) => step.attributes.find(([it]) => it === name)?.[1];
  const accepted = handled[0].start - Number(of(handled[0], 'timeSinceEnqueued') ?? 0), ended = Math.max(...handled.map(step => step.start + step.duration));
  return [{ ...last, operation, what: 'delivery', name: of(last, 'drone_delivery.delivery.id') ?? '', ms: ended - accepted, says: `attempts: ${handled.length}`, at: new Date(Date.parse(at) + accepted).toISOString() }];
}

/** What a report knows: the transactions of its sample. */
class Sample {
  constructor(element) { this.element = element; }

  // Only who browses waits for it.
  get traces() { return this.unpacked ??= unpack(JSON.parse(this.element.textContent)); }

  get rows() {
    return this.listed ??= this.traces.flatMap(trace => [...delivery(trace), ...trace.steps.filter(step => step.kind !== 'event').map(step => ({
      ...step, operation: trace.operation, what: step.kind, ms: step.duration, ...(step.kind === 'trace' ? { name: step.message, says: '' } : { name: withoutType(step), says: step.message }),
      at: new Date(Date.parse(trace.at) + step.start).toISOString(),
    }))]);
  }

  list(filter) {
    const has = (text, part) => !part || text.toLowerCase().includes(part.toLowerCase());
    const matching = this.rows.filter(row =>
      (listed[filter.list] ?? (it => it.failed && it.what !== 'delivery'))(row)
      && (!filter.service || row.service === filter.service) && has(row.name, filter.name) && (!filter.code || row.result === filter.code)
      && (!filter.outcome || row.failed === (filter.outcome === 'failed')) && (!(filter.over > 0) || row.ms > Number(filter.over))
      && (has(row.name, filter.text) || has(row.says, filter.text) || row.operation === filter.text));
    let rows = matching.filter(row => (!filter.from || row.at >= filter.from) && (!filter.to || row.at < filter.to)), note = '';
    if (rows.length === 0 && matching.length > 0 && filter.from && filter.to) {
      const middle = (Date.parse(filter.from) + Date.parse(filter.to)) / 2, distance = row => Math.abs(Date.parse(row.at) - middle);
      rows = [...matching].sort((a, b) => distance(a) - distance(b)).slice(0, 20);
      note = ' The sample has none of this time; these are the nearest.';
    }
    rows.sort(filter.order === 'slowest' ? (a, b) => (b.ms ?? 0) - (a.ms ?? 0) : (a, b) => a.at < b.at ? 1 : a.at > b.at ? -1 : 0);
    const page = /^\d$/.test(filter.page) ? Number(filter.page) : 0;
    return { rows: rows.slice(page * 100, page * 100 + 100), found: rows.length, page, note, until: filter.to };
  }

  transaction(operation) { return this.traces.find(trace => trace.operation === operation) ?? null; }
}

/** What a lab answers. */
class Lab {
  async list(filter) { return (await this.ask(`/browse?${new URLSearchParams(filter)}`)).json(); }
  async transaction(operation) { return unpack(await (await this.ask(`/transaction?${new URLSearchParams({ operation })}`)).json())[0]; }

  async ask(path) {
    let response;
    try { response = await fetch(path); } catch { throw new Error('The lab does not answer.'); }
    if (response.ok) return response;
    const text = await response.text();
    let problem = {};
    try { problem = JSON.parse(text); } catch { throw new Error(text || `The lab answers ${response.status}.`); }
    const fields = Object.entries(problem.errors ?? {}).map(([name, texts]) => `${name}: ${texts.join(' ')}`);
    throw new Error(fields.join(' ') || problem.detail || problem.reason || `The lab answers ${response.status}.`);
  }
}

class Browse {
  constructor(form) {
    this.form = form;
    [this.says, this.rows, this.trace] = ['says', 'rows', 'trace'].map(name => document.getElementById(`browse-${name}`));
    const sample = document.getElementById('sample');
    this.source = sample ? new Sample(sample) : new Lab();
    form.addEventListener('submit', event => { event.preventDefault(); this.go(this.link(this.typed())); });
    addEventListener('hashchange', () => this.show());
    this.show();
  }

  typed() {
    const { time, ...filter } = Object.fromEntries(new FormData(this.form));
    // "-300" is the last 300 s.
    const [from, to] = time.startsWith('-') ? [new Date(Date.now() + 1000 * Number(time)).toISOString()] : time.split('/');
    return { ...filter, from, to };
  }

  link(filter) { return `#browse?${new URLSearchParams(Object.entries(filter).filter(([, value]) => value))}`; }

  // The same once more asks again: on the live page there may be more.
  go(link) {
    if (location.hash !== link) { location.hash = link; return; }
    this.shown = null;
    this.show();
  }

  async show() {
    const [page, query] = location.hash.slice(1).split('?');
    if (page !== 'browse') return;
    const { operation, ...asked } = Object.fromEntries(new URLSearchParams(query ?? '')), filter = { list: 'failures', ...asked };
    const key = JSON.stringify(filter), turn = this.turn = {};
    this.fill(filter);
    if (!operation) this.closeTrace();
    try {
      if (key !== this.shown || !operation) {
        const answer = await this.source.list(filter);
        if (turn !== this.turn) return;
        this.shown = key;
        this.list(answer, filter);
      }
      if (operation) {
        const trace = await this.source.transaction(operation);
        if (turn === this.turn) this.waterfall(trace, filter);
      }
    } catch (error) {
      if (turn !== this.turn) return;
      this.shown = null;
      this.says.textContent = error.message;
    }
  }

  // Who has read it goes on where it was opened.
  closeTrace() {
    if (!this.trace.hidden && this.trace.contains(document.activeElement)) this.opened = this.trace.dataset.operation;
    this.trace.hidden = true;
  }

  fill(filter) {
    const { time } = this.form.elements, value = filter.from || filter.to ? `${filter.from ?? ''}/${filter.to ?? ''}` : '';
    if (![...time.options].some(option => option.value === value)) {
      const from = filter.from ? `from ${ofDay(filter.from)} ` : '', to = filter.to ? `to ${ofDay(filter.to)}` : '';
      time.append(html('option', { value, textContent: from + to }));
    }
    time.value = value;
    for (const name of ['list', 'service', 'name', 'code', 'outcome', 'over', 'text', 'order']) this.form.elements[name].value = filter[name] ?? '';
  }

  list({ rows, found, page, note = '', until, query }, filter) {
    const first = page * 100, more = found > first + rows.length, { opened } = this;
    this.opened = null;
    this.says.textContent = found === 0 ? 'Nothing matches.'
      : `Rows ${first + 1} to ${first + rows.length} of ${found > 1000 ? 'more than 1,000; a narrower filter shows the others' : found}.${note}`;
    const turn = (name, to) => html('a', { href: this.link({ ...filter, to: until, page: to || '' }), textContent: name });
    const cell = (text, className = '') => html('td', { className }, text ?? '');
    this.rows.replaceChildren(
      ...(rows.length === 0 ? [] : [html('div', { className: 'scroll' }, html('table', {},
        html('caption', {}, `List of ${filter.list}`),
        html('thead', {}, html('tr', {}, ...['time, UTC', 'replica', 'what', 'result', 'ms', 'says'].map(name => html('th', { scope: 'col', className: name === 'ms' ? 'number' : '' }, name)))),
        html('tbody', {}, ...rows.map(row => html('tr', { className: row.failed ? 'failing' : '' },
          cell(ofDay(row.at)), cell(row.instance || row.service),
          html('td', {}, row.operation
            ? html('a', { href: this.link({ ...filter, operation: row.operation }), textContent: row.name || row.what })
            : row.name || row.what, row.target ? ` → ${row.target.split('/').at(-1)}` : ''),
          cell(row.result || (row.failed ? 'failed' : ''), row.failed ? 'fails' : ''), cell(row.ms === null ? '' : row.ms.toFixed(1), 'number'), cell(row.says)))))) ]),
      html('p', { className: 'turn' }, ...(page > 0 ? [turn('Previous 100', page - 1), ' '] : []), ...(more && page < 9 ? [turn('Next 100', page + 1)] : [])),
      ...(query ? [html('details', { className: 'kql' }, html('summary', {}, 'KQL'), html('pre', { tabIndex: 0 }, html('code', {}, query)),
        html('button', { type: 'button', className: 'copy' }, 'Copy query'))] : []));
    if (opened) [...this.rows.querySelectorAll('tbody a')].find(link => new URLSearchParams(link.hash.split('?')[1]).get('operation') === opened)?.focus();
  }

  waterfall(trace, filter) {
    const title = html('h3', { tabIndex: -1, id: 'trace-title' }, 'A transaction, end to end');
    const close = html('a', { href: this.link(filter), textContent: 'Close' });
    if (!trace) {
      this.trace.replaceChildren(title, html('p', { className: 'says' }, 'It is not in the sample of this report. ', close));
    } else {
      const time = busy(trace.steps), why = trace.why ? `Stage ${trace.stage}, ${trace.why}. ` : '';
      const list = html('ol', { className: 'waterfall', ariaLabel: 'Steps of the transaction' }, ...trace.steps.map(step => line(step, time)));
      this.trace.replaceChildren(title,
        ...story(trace.story),
        html('p', { className: 'says' }, `${why}Begins at ${ofDay(trace.at)} UTC. Operation `, html('code', {}, trace.operation), '. Log lines stand below the call that wrote them. ', close),
        list, html('p', { className: 'scale', ariaHidden: 'true' }, ...[0, time.length / 2, time.length].map(at => html('span', {}, `${at.toFixed(0)} ms`))),
        ...(trace.leftOut > 0 ? [html('p', { className: 'says' }, `${trace.leftOut} more steps are not in this sample; ./lab query finds them.`)] : []),
        ...(time.leftOut > 0 ? [html('p', { className: 'says' }, `${(time.leftOut / 1000).toFixed(1)} s in which nothing runs are left out of the picture.`)] : []));
    }
    this.trace.hidden = false;
    this.trace.dataset.operation = trace?.operation ?? '';
    title.focus();
  }
}

// Where the time went comes first.
function story(sentences) {
  return sentences.length === 0 ? [] : [html('ol', { className: 'why', ariaLabel: 'Why it took so long' }, ...sentences.map(it => html('li', {}, it)))];
}

// A long wait in which no step runs would squeeze the rest to nothing: 50 ms of it are shown.
function busy(steps) {
  const waits = [], shown = 50;
  let end = 0;
  for (const step of [...steps].sort((a, b) => a.start - b.start)) {
    if (step.start - end > 1000) waits.push([end, step.start]);
    end = Math.max(end, step.start + (step.duration ?? 0));
  }
  const of = at => waits.reduce((left, [from, to]) => left - Math.min(Math.max(at - from - shown, 0), to - from - shown), at);
  return { of, length: Math.max(1, of(end)), leftOut: waits.reduce((sum, [from, to]) => sum + to - from - shown, 0) };
}

function line(step, time) {
  const name = { trace: step.message, exception: `${step.name.split('.').at(-1)}: ${step.message}` }[step.kind] ?? withoutType(step);
  const what = html('span', { className: 'what' }, html('b', {}, step.instance || step.service), ` ${name}`, ...(step.result ? [' ', html('span', { className: 'result' }, step.result)] : []));
  what.style.paddingLeft = `${Math.min(step.depth, 8) * 0.9}em`;
  const bar = html('span', { className: 'bar' });
  bar.style.left = `${100 * time.of(step.start) / time.length}%`;
  bar.style.width = `${100 * (step.duration ?? 0) / time.length}%`;
  const facts = [['kind', step.kind], ['name', step.name], ['replica', step.instance], ['begins after', `${step.start.toFixed(1)} ms`], ['result', step.result], ['says', step.message], ...step.attributes];
  return html('li', { className: `${step.kind}${step.failed ? ' failing' : ''}` }, html('details', {},
    html('summary', {}, what, html('span', { className: 'track' }, bar), html('span', { className: 'took' }, step.duration === null ? '' : `${step.duration.toFixed(1)} ms`)),
    html('dl', {}, ...facts.filter(([, text]) => text).flatMap(([name, text]) => [html('dt', {}, name), html('dd', {}, text)])),
    ...(step.stack ? [html('pre', { className: 'stack', tabIndex: 0 }, step.stack)] : [])));
}

const browsing = document.getElementById('browse-form');
if (browsing) new Browse(browsing);
