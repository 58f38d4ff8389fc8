// The figures of the checks in loadtest/stages, as the lab defines them (loadtest/Lab/Stages/Figures/FigureTable.cs).
// A run: { samples, profile, binSeconds, heldAtMost }. A sample: { at, incoming, outgoing, … }, with `at` in seconds since the load began.

const last = (run) => run.samples[run.samples.length - 1];
const loadEnd = (run) => run.profile.durationSeconds;

// Seconds until full load.
const plateauStart = ({ startUsers, stepUsers, stepSeconds, maxUsers }) =>
  Math.max(0, Math.ceil((maxUsers - startUsers) / stepUsers)) * stepSeconds;

// A counter at a time, interpolated between samples.
function valueAt(run, counter, seconds) {
  const next = run.samples.findIndex((sample) => sample.at >= seconds);
  if (next < 0) return last(run)[counter];
  if (next === 0) return run.samples[0][counter];
  const [before, after] = [run.samples[next - 1], run.samples[next]];
  return before[counter] + ((after[counter] - before[counter]) * (seconds - before.at)) / (after.at - before.at);
}

const rate = (run, counter, from, to) => (to > from ? (valueAt(run, counter, to) - valueAt(run, counter, from)) / (to - from) : NaN);
const plateau = (run, counter) => rate(run, counter, plateauStart(run.profile), loadEnd(run));

// The slope of the least-squares line, which a single sample affects less than a difference of two.
function slope(run, counter) {
  const samples = run.samples.filter(({ at }) => at >= plateauStart(run.profile) && at <= loadEnd(run));
  const mean = (valueOf) => samples.reduce((sum, sample) => sum + valueOf(sample), 0) / samples.length;
  const [meanAt, meanValue] = [mean((sample) => sample.at), mean((sample) => sample[counter])];
  return mean((sample) => (sample.at - meanAt) * (sample[counter] - meanValue)) / mean((sample) => (sample.at - meanAt) ** 2);
}

const atLoadEnd = (run, counter) => valueAt(run, counter, loadEnd(run));
const perSent = (run, counter) => atLoadEnd(run, counter) / atLoadEnd(run, 'incoming');

// Rates in complete intervals under load.
function bins(run, counter, width) {
  const count = Math.floor(Math.min(loadEnd(run), last(run).at) / width + 1e-9);
  return Array.from({ length: count }, (_, bin) => rate(run, counter, bin * width, (bin + 1) * width));
}

// Seconds until the first sample that meets a condition; NaN if none does.
const first = (run, condition) => (run.samples.find(condition) || { at: NaN }).at;
const cacheFull = (run) => first(run, (sample) => sample.outOfMemory > 0);
const drain = (run) => first(run, (sample) => sample.at >= loadEnd(run) && sample.queued === 0) - loadEnd(run);
const beforeFull = (run, counter) => rate(run, counter, cacheFull(run) / 2, cacheFull(run));
// Deliveries in progress can still succeed for another 2 % of the load.
const afterFull = (run, counter) => rate(run, counter, cacheFull(run) + 0.02 * loadEnd(run), loadEnd(run));

const nodesOf = (run) => Object.keys(last(run)).filter((name) => /^node\d+$/.test(name));
const nodeBins = (run) => nodesOf(run).flatMap((node) => bins(run, node, run.binSeconds).map((share) => 100 * share));
const percentile95 = (values) => values.sort((a, b) => a - b)[Math.ceil(0.95 * values.length) - 1];

// From the lengths of the queue and of its dead-letter queue, which every Service Bus reports.
const ofStocks = {
  'backlog.slope': (run) => slope(run, 'queued'),
  drain,
  'drain.perLoad': (run) => drain(run) / loadEnd(run),
  'deadLettered.loadEnd': (run) => atLoadEnd(run, 'deadLettered'),
  'deadLettered.final': (run) => last(run).deadLettered,
};

// From the counters of the local broker.
const ofBroker = {
  ...ofStocks,
  'outgoing.afterLoad': (run) => rate(run, 'outgoing', loadEnd(run), last(run).at),
  'outgoing.perSent': (run) => perSent(run, 'outgoing'),
  'outgoing.perDistinct': (run) => atLoadEnd(run, 'outgoing') / atLoadEnd(run, 'distinct'),
  'inOut.plateau': (run) => plateau(run, 'incoming') / plateau(run, 'outgoing'),
  redelivered: (run) => last(run).redelivered,
  'unsettled.perPrefetch': (run) => Math.max(...run.samples.map((sample) => sample.maxUnsettled)) / run.heldAtMost,
  'completed.peak': (run) => Math.max(...bins(run, 'completed', 5)),
  'completed.plateau': (run) => plateau(run, 'completed'),
  'completed.lastThird': (run) => rate(run, 'completed', (loadEnd(run) * 2) / 3, loadEnd(run)),
  'completed.perSent': (run) => perSent(run, 'completed'),
  'backlog.perPlateau': (run) => atLoadEnd(run, 'queued') / (plateau(run, 'incoming') * loadEnd(run)),
  'backlog.seconds': (run) => atLoadEnd(run, 'queued') / plateau(run, 'incoming'),
  lockLost: (run) => atLoadEnd(run, 'lateCompletes'),
  'lockLost.perSent': (run) => perSent(run, 'lateCompletes'),
  'lockLost.any': (run) => last(run).lateCompletes + last(run).lateDeadLetters,
  'lockLost.firstPerLoad': (run) => first(run, (sample) => sample.lateCompletes > 0) / loadEnd(run),
  'deadLettered.perSent': (run) => perSent(run, 'deadLettered'),
  'deadLetter.refusedPerSent': (run) => perSent(run, 'lateDeadLetters'),
};

// From the lab's own counts: HTTP 5xx of all services and the CPU of the virtual nodes.
const ofLab = {
  ...ofBroker,
  'http.5xx': (run) => last(run).errors,
  'http.5xx.outOfMemory': (run) => atLoadEnd(run, 'outOfMemory'),
  'http.5xx.first': (run) => cacheFull(run) / loadEnd(run),
  'outgoing.afterPerBefore': (run) => afterFull(run, 'outgoing') / beforeFull(run, 'outgoing'),
  'completed.afterFull': (run) => afterFull(run, 'completed'),
  'node.p95': (run) => percentile95(nodeBins(run)),
  'node.highest': (run) => Math.max(...nodeBins(run)),
  'node.busiest': (run) => 100 * Math.max(...nodesOf(run).map((node) => plateau(run, node))),
};

// By the kind of the source that the samples come from (queue.js).
export const figures = { azure: ofStocks, broker: ofBroker, lab: ofLab };
