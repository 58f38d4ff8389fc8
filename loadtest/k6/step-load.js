// Step load on Ingestion: reads the same profile and makes the same requests as the lab's own driver.
//
//   k6 run loadtest/k6/step-load.js                                    the profile step-40 on http://127.0.0.1:5100
//   k6 run -e STAGE=1 loadtest/k6/step-load.js                         the load of a stage
//   k6 run -e PROFILE=FILE -e TARGETS=URL,URL -e MODEL=open … …        another profile; arrivals that wait for no answer
//
//   k6 run -e TARGETS=https://HOST -e CONFIRM_HOST=HOST …              an application on another machine
//
// STAGE    id of a stage: its profile, length and instructions; the tag `stage` of all samples
// PROFILE  a file of loadtest/profiles, or one of that form   TARGETS  Ingestion replicas; requests rotate over them
// MODEL    closed (default) or open                           SEED     of the time between requests
// INSTRUCTIONS  characters of instructions in each request, instead of the profile's: stage 1 has 17000
// SUMMARY  a file for the result as JSON; the terminal then shows it as text. Default: JSON on standard output, text on standard error.
//          json: JSON on standard output and no text.
// CONFIRM_HOST  hosts of TARGETS that are not on this machine, named once more: nobody puts load on a stranger by a mistyped address
import { check, fail, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';

const stageFiles = [
  '1-baseline', '2-cache', '3-backends', '4-parallel', '4-long', '5-lock', '5-clean', '5-long', '6-scale-out', '6-long',
];
const stage = __ENV.STAGE ? loadOf(__ENV.STAGE, stageFiles.map((name) => JSON.parse(open(`../stages/${name}.json`)))) : {};
const profile = JSON.parse(open(__ENV.PROFILE || `../profiles/${stage.profile || 'step-40'}.json`));
if (stage.knobs && !__ENV.PROFILE) profile.durationSeconds = stage.knobs['load.duration'] || profile.durationSeconds;
const instructions = __ENV.INSTRUCTIONS || profile.instructionsLength || (stage.knobs && stage.knobs['load.instructions']) || 0;
const template = withInstructions(open('../requests/delivery.json'), Number(instructions));
const targets = (__ENV.TARGETS || 'http://127.0.0.1:5100').split(',').map((url) => url.replace(/\/$/, ''));
const isOpen = __ENV.MODEL === 'open';
const seed = Number(__ENV.SEED || 1);
const maxInFlight = 1000;

// A stage has the profile and the knobs of the one that it is based on, unless it says otherwise.
function loadOf(id, all) {
  const own = all.find((it) => it.id === id);
  if (!own) throw new Error(`${id} is not a stage. There are: ${all.map((it) => it.id).join(', ')}.`);
  const base = own.basedOn ? loadOf(own.basedOn, all) : { knobs: {} };
  return { profile: own.profile || base.profile, knobs: { ...base.knobs, ...own.knobs } };
}

function withInstructions(request, length) {
  return length === 0 ? request : JSON.stringify({ ...JSON.parse(request), instructions: 'x'.repeat(length) });
}

// Any other answer counts as failed, in k6's own metrics, too.
http.setResponseCallback(http.expectedStatuses(202));

const accepted = new Counter('accepted');
const serverErrors = new Counter('server_errors');
const failed = new Counter('failed');

// Users after each step; a step of no length sets the number at once.
function steps() {
  const result = [];
  let users = profile.startUsers;
  for (let at = 0; at < profile.durationSeconds; at += profile.stepSeconds) {
    const last = users === profile.maxUsers;
    const length = last ? profile.durationSeconds - at : Math.min(profile.stepSeconds, profile.durationSeconds - at);
    result.push({ users, seconds: length });
    if (last) break;
    users = Math.min(profile.maxUsers, users + profile.stepUsers);
  }
  return result;
}

const ratePerUser = 1000 / profile.requestEveryMilliseconds;
// Whole arrivals need a time unit in which even one step is many.
const timeUnitSeconds = 10;
const ramp = (size) => steps().flatMap(({ users, seconds }) => [
  { duration: '0s', target: size(users) },
  { duration: `${Math.round(seconds * 1000)}ms`, target: size(users) },
]);

const closed = {
  executor: 'ramping-vus',
  startVUs: profile.startUsers,
  stages: ramp((users) => users),
  gracefulStop: '30s',
  gracefulRampDown: '0s',
};
const arrivals = (users) => Math.round(users * ratePerUser * timeUnitSeconds);
const opened = {
  executor: 'ramping-arrival-rate',
  startRate: arrivals(profile.startUsers),
  timeUnit: `${timeUnitSeconds}s`,
  stages: ramp(arrivals),
  preAllocatedVUs: profile.maxUsers,
  maxVUs: maxInFlight,
  gracefulStop: '30s',
};

export const options = {
  scenarios: { load: isOpen ? opened : closed },
  thresholds: {
    failed: ['count==0'],
    server_errors: ['count==0'],
    dropped_iterations: ['count==0'],
  },
  discardResponseBodies: true,
  tags: __ENV.STAGE ? { stage: __ENV.STAGE } : {},
  summaryTrendStats: ['med', 'p(95)', 'p(99)', 'p(99.9)'],
  userAgent: 'drone-delivery-lab',
};

const hostOf = (target) => (/^https?:\/\/(\[[0-9a-f:.]+\]|[^/:@?#[\]]+)(:\d+)?$/i.exec(target) || [])[1];
// A name without a dot is one of the cluster that the script runs in (k8s/load-test).
const isNear = (host) => /^(127\.0\.0\.1|\[::1\]|[a-z][-a-z0-9]*)$/.test(host);

export function setup() {
  const confirmed = (__ENV.CONFIRM_HOST || '').split(',');
  for (const target of targets) {
    const host = hostOf(target);
    if (!host) fail(`${target} is not an address like http://HOST:PORT, as TARGETS needs it.`);
    if (!isNear(host) && !confirmed.includes(host)) {
      fail(`${target} is on another machine. If the load is meant for it, name its host once more: -e CONFIRM_HOST=${host}`);
    }
  }
  return { startedAt: Date.now() };
}

// mulberry32, as in Model/Simulation/Users/UserChance.cs.
function uniform() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

const interval = () => profile.requestEveryMilliseconds * (1 + profile.jitter * (2 * uniform() - 1));
// VUs count from 1, users from 0.
let state = (Math.imul(seed, 0x9e3779b1) + __VU - 1) | 0;
let due = 0;

export default function () {
  const start = Date.now();
  // From when the last request was due, not from when it was sent: lateness must not lower the rate.
  due = Math.max(due || start, exec.scenario.startTime) + interval();
  send();
  if (isOpen) return;
  const now = Date.now();
  due = Math.max(due, now);
  // Nobody has to sleep on after the end of the load; a little past it, so that no further request slips in.
  const end = exec.scenario.startTime + profile.durationSeconds * 1000 + 100;
  sleep(Math.max(0, Math.min(due, end) - now) / 1000);
}

function send() {
  const number = `${__VU}-${__ITER}`;
  const target = targets[(__VU + __ITER) % targets.length];
  const answer = http.post(`${target}/api/deliveryrequests`, template.replace('package-n', `package-${number}`), {
    headers: { 'Content-Type': 'application/json' },
    timeout: '30s',
  });
  check(answer, { 'accepted (202)': (it) => it.status === 202 });
  if (answer.status === 202) accepted.add(1);
  else if (answer.status >= 500) serverErrors.add(1);
  else failed.add(1);
}

export function handleSummary(data) {
  const count = (name) => (data.metrics[name] ? data.metrics[name].values.count : 0);
  const times = data.metrics.http_req_duration ? data.metrics.http_req_duration.values : {};
  const summary = {
    startedAt: data.setup_data ? data.setup_data.startedAt : 0,
    sent: count('http_reqs'),
    accepted: count('accepted'),
    serverErrors: count('server_errors'),
    failed: count('failed'),
    dropped: count('dropped_iterations'),
    p50: times.med,
    p95: times['p(95)'],
    p99: times['p(99)'],
    p999: times['p(99.9)'],
  };
  const json = JSON.stringify(summary, null, 2) + '\n';
  if (__ENV.SUMMARY === 'json') return { stdout: json };
  const text = data.setup_data ? textOf(summary) : '';
  return __ENV.SUMMARY ? { [__ENV.SUMMARY]: json, stdout: text } : { stdout: json, stderr: text };
}

function textOf(it) {
  const whole = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  const share = it.sent > 0 ? ` (${Math.floor((100 * it.accepted) / it.sent)} %)` : '';
  const time = (milliseconds) => (!milliseconds ? '–' : `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`);
  return [
    `Step load on ${targets.join(', ')}: ${profile.startUsers} to ${profile.maxUsers} users in ${profile.durationSeconds} s`,
    `  sent            ${whole(it.sent)}`,
    `  accepted (202)  ${whole(it.accepted)}${share}`,
    `  HTTP 5xx        ${whole(it.serverErrors)}`,
    `  failed          ${whole(it.failed)} (any other answer, or none)`,
    ...(isOpen ? [`  dropped         ${whole(it.dropped)} (${whole(maxInFlight)} requests waited already)`] : []),
    `  answer          median ${time(it.p50)}, 95 % within ${time(it.p95)}, 99 % within ${time(it.p99)}, 99.9 % within ${time(it.p999)}`,
    '',
  ].join('\n');
}
