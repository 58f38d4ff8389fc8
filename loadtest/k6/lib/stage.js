// Builds the k6 script of a stage from its file in loadtest/stages: the load, the thresholds, and the observation of the queue.
//
// K             divisor of durations and sizes: 8 by default, 1 for full scale
// LAB           address of `./lab serve`, which prepares the initial state of the stage: http://127.0.0.1:5080 by default
// PREPARED=1    the application is in that state already: setup() doesn't call the lab
// TARGETS       with PREPARED: base addresses of Ingestion, comma-separated; used round robin
// QUEUE         with PREPARED: connection string of the Service Bus; without it, nothing is observed
// CONFIRM_HOST  hosts in TARGETS that aren't on this machine, to confirm that the load is meant for them
// PROFILE       a file like those in loadtest/profiles, in place of the stage's load
// MODEL=open    requests don't wait for responses
// SEED          seed of the intervals between requests
import { check, randomSeed, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Gauge } from 'k6/metrics';
import { figures } from './figures.js';
import { sourceOf } from './queue.js';

const files = [
  '1-baseline', '2-cache', '3-backends', '4-long', '4-parallel', '5-clean', '5-lock', '5-long', '6-long', '6-scale-out',
];
const json = (path) => JSON.parse(open(import.meta.resolve(path)));
const k = Number(__ENV.K || 8);
const isPrepared = __ENV.PREPARED === '1';
const isOpen = __ENV.MODEL === 'open';
const lab = __ENV.LAB || 'http://127.0.0.1:5080';
const queue = isPrepared && !__ENV.QUEUE ? null : sourceOf(lab, isPrepared && __ENV.QUEUE);
const milliseconds = (seconds) => `${Math.round(seconds * 1000)}ms`;
const maxInFlight = 1000;

// A stage inherits what its file leaves out from the stage that it is based on.
function read(id) {
  const own = files.map((file) => json(`../../stages/${file}.json`)).find((file) => file.id === id);
  const base = own.basedOn ? read(own.basedOn) : {};
  return { ...base, ...own, knobs: { ...base.knobs, ...own.knobs } };
}

function profileOf({ knobs, profile: name }) {
  if (__ENV.PROFILE) return JSON.parse(open(__ENV.PROFILE));
  const profile = json(`../../profiles/${name}.json`);
  const [stepSeconds, durationSeconds] = [profile.stepSeconds / k, (knobs['load.duration'] || profile.durationSeconds) / k];
  return { ...profile, stepSeconds, durationSeconds, instructionsLength: knobs['load.instructions'] || 0 };
}

// Users are added in steps; a step of zero length changes their number immediately.
function steps(profile, target) {
  const result = [];
  for (let at = 0, users = profile.startUsers; at < profile.durationSeconds; at += profile.stepSeconds) {
    const length = Math.min(profile.stepSeconds, profile.durationSeconds - at);
    result.push({ duration: '0s', target: target(users) }, { duration: milliseconds(length), target: target(users) });
    users = Math.min(profile.maxUsers, users + profile.stepUsers);
  }
  return result;
}

function loadOf(profile) {
  const { startUsers, maxUsers, requestEveryMilliseconds } = profile;
  const shared = { exec: 'load', gracefulStop: '30s' };
  const stages = steps(profile, (users) => users);
  if (!isOpen) return { ...shared, executor: 'ramping-vus', startVUs: startUsers, stages, gracefulRampDown: '0s' };
  // k6 requires whole numbers of arrivals; in 10 s, even one step has many.
  const arrivals = (users) => Math.round((users * 10 * 1000) / requestEveryMilliseconds);
  const open = { executor: 'ramping-arrival-rate', timeUnit: '10s', startRate: arrivals(startUsers), stages: steps(profile, arrivals) };
  return { ...shared, ...open, preAllocatedVUs: maxUsers, maxVUs: maxInFlight };
}

// The checks that k6 can evaluate, each with the metric of its threshold: that of completed.peak is completed_peak.
function claimsOf(stage) {
  const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[.-]/g, '_');
  return stage.checks
    .filter(({ figure, relativeTo }) => queue && figures[queue.kind][figure] && (!relativeTo || queue.kind === 'lab'))
    .map(({ figure, relativeTo, band, bandFull }) => ({
      figureOf: figures[queue.kind][figure],
      referenceOf: (references) => (relativeTo ? references[relativeTo][figure] : 1),
      band: (k === 1 && bandFull) || band,
      gauge: new Gauge(snakeCase(relativeTo ? `${figure}.perStage.${relativeTo}` : figure)),
    }));
}

const thresholdOf = ({ min, max }) => [...(min === undefined ? [] : [`value>=${min}`]), ...(max === undefined ? [] : [`value<=${max}`])];

// A figure that doesn't exist, such as the time of an event that didn't happen, fails its threshold.
const finite = (value, { max }) => (Number.isFinite(value) ? value : max === undefined ? -1e9 : 1e9);

export function stage(id) {
  const stage = read(id);
  const profile = profileOf(stage);
  const claims = claimsOf(stage);
  const length = profile.instructionsLength;
  const request = JSON.stringify({ ...json('../../requests/delivery.json'), ...(length && { instructions: 'x'.repeat(length) }) });
  const observeUntil = profile.durationSeconds + stage.observe.seconds / k;
  const heldAtMost = Math.round((stage.knobs['workflow.prefetchCount'] || 0) / k) || stage.knobs['workflow.maxConcurrentCalls'];
  const counters = {
    incoming: new Counter('queue_incoming'),
    outgoing: new Counter('queue_outgoing'),
    completed: new Counter('queue_completed'),
    lateCompletes: new Counter('queue_locks_lost'),
  };
  const stocks = { queued: new Gauge('queue_backlog'), deadLetter: new Gauge('queue_dead_letters') };

  const observation = { exec: 'observe', executor: 'per-vu-iterations', maxDuration: milliseconds(observeUntil + 30) };
  const options = {
    scenarios: { step_load: loadOf(profile), ...(queue && { observe: observation }) },
    thresholds: {
      'checks{scenario:step_load}': ['rate==1'],
      'http_reqs{scenario:step_load}': ['count>0'],
      'http_req_failed{scenario:step_load}': ['rate==0'],
      // Users who wait longer for a response send less than the profile asks for.
      'http_req_duration{scenario:step_load}': [`p(95)<${profile.requestEveryMilliseconds}`],
      dropped_iterations: ['count==0'],
      ...Object.fromEntries(claims.map(({ gauge, band }) => [gauge.name, thresholdOf(band)])),
    },
    discardResponseBodies: true,
    setupTimeout: '10m',
    summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max'],
    tags: { stage: id },
    userAgent: 'drone-delivery-load-test',
  };

  function setup() {
    const addresses = (__ENV.TARGETS || 'http://127.0.0.1:5100').split(',');
    const { targets, references } = isPrepared ? { targets: addresses } : prepare(id);
    const data = { targets: targets.map(confirmed), references, baseline: queue && queue.read() };
    console.log(`The load begins at ${new Date().toISOString()}.`);
    return data;
  }

  let due = 0;
  function load({ targets }) {
    const [user, iteration] = [exec.vu.idInTest, exec.vu.iterationInScenario];
    if (iteration === 0) randomSeed(Number(__ENV.SEED || 1) * maxInFlight + user);
    const sentAt = due || Date.now();
    const response = http.post(
      `${targets[(user + iteration) % targets.length]}/api/deliveryrequests`,
      request.replace('package-n', `package-${user}-${iteration}`),
      {
        headers: { 'Content-Type': 'application/json' },
        responseCallback: http.expectedStatuses(202),
        tags: { name: 'POST /api/deliveryrequests' },
        timeout: '30s',
      },
    );
    check(response, { 'status is 202': ({ status }) => status === 202, 'status is not 5xx': ({ status }) => status < 500 });
    if (isOpen) return;
    // From the time at which the request was due: lateness must not lower the rate.
    due = Math.max(sentAt + profile.requestEveryMilliseconds * (1 + profile.jitter * (2 * Math.random() - 1)), Date.now());
    // Until a moment after the load at most, so that no further request slips in.
    const end = exec.scenario.startTime + profile.durationSeconds * 1000 + 100;
    sleep(Math.max(0, Math.min(due, end) - Date.now()) / 1000);
  }

  // Reads the queue once a second until the stage is over, and then sets the figures of its checks.
  function observe({ baseline, references }) {
    const { startTime } = exec.scenario;
    const samples = [{ ...since(baseline, baseline), at: 0 }];
    for (let isOver = false; !isOver; ) {
      sleep(Math.max(0, startTime + samples.length * 1000 - Date.now()) / 1000);
      const before = samples[samples.length - 1];
      const sample = { ...since(baseline, queue.read()), at: (Date.now() - startTime) / 1000 };
      samples.push(sample);
      for (const name of Object.keys(counters).filter((name) => name in sample)) counters[name].add(sample[name] - before[name]);
      for (const name of Object.keys(stocks)) stocks[name].add(sample[name]);
      const isEmpty = stage.observe.untilEmpty && sample.queued === 0;
      isOver = sample.at >= observeUntil || (sample.at >= profile.durationSeconds && isEmpty);
    }
    const run = { samples, profile, binSeconds: k === 1 ? 5 : 2.5, heldAtMost };
    claims.forEach(({ gauge, band, figureOf, referenceOf }) => gauge.add(finite(figureOf(run) / referenceOf(references), band)));
  }

  return { options, setup, load, observe };
}

const isCounter = (name) => !['queued', 'deadLetter', 'maxUnsettled'].includes(name);
const since = (baseline, reading) =>
  Object.fromEntries(Object.entries(reading).map(([name, value]) => [name, isCounter(name) ? value - baseline[name] : value]));

// Asks the lab to apply the stage's settings, to fill the queue and to warm up.
function prepare(id) {
  const response = http.put(`${lab}/stages/${id}?k=${k}`, null, { responseType: 'text', tags: { name: 'prepare' }, timeout: '10m' });
  if (response.status === 200) return response.json();
  return exec.test.abort(
    response.status === 0
      ? 'Start `./lab serve` in another terminal. For an application in the initial state of the stage, add -e PREPARED=1.'
      : `The lab can't prepare stage ${id}: ${response.body}`,
  );
}

// A mistyped address must not put load on a stranger. A name without a dot is one in the cluster that the script runs in.
function confirmed(target) {
  const host = (/^https?:\/\/(\[[0-9a-f:.]+\]|[^/:@?#[\]]+)(:\d+)?\/?$/i.exec(target) || [])[1];
  if (!host) exec.test.abort(`${target} isn't an address like http://HOST:PORT.`);
  const isNear = /^(127\.0\.0\.1|\[::1\]|[a-z][-a-z0-9]*)$/.test(host) || (__ENV.CONFIRM_HOST || '').split(',').includes(host);
  if (!isNear) exec.test.abort(`${host} is another machine. If the load is meant for it, add -e CONFIRM_HOST=${host}.`);
  return target.replace(/\/$/, '');
}
