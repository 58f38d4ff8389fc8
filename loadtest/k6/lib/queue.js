// Reads the queue between Ingestion and Workflow.
import crypto from 'k6/crypto';
import http from 'k6/http';

const queueName = 'delivery-requests';

// The source of readings: the lab, or the Service Bus of a connection string as Azure's portal shows it.
export function sourceOf(lab, connection) {
  if (!connection) return { kind: 'lab', read: () => flatten(get(`${lab}/stages/reading`).json()) };
  const bus = Object.fromEntries(connection.split(';').map((part) => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]));
  const host = bus.Endpoint.replace(/^sb:\/\/|\/$/g, '');
  return bus.UseDevelopmentEmulator === 'true'
    ? { kind: 'broker', read: () => flatten({ queue: get(`http://${host}/$counters`).json().queues[queueName] }) }
    : { kind: 'azure', read: () => ofDescription(get(`https://${host}/${queueName}?api-version=2021-05`, tokenFor(bus, host)).body) };
}

function get(url, token) {
  const response = http.get(url, {
    headers: token ? { Authorization: token } : {},
    responseType: 'text',
    responseCallback: http.expectedStatuses(200),
    tags: { name: 'read the queue' },
  });
  if (response.status !== 200) throw new Error(`The queue can't be read: ${url} returned ${response.status} ${response.error}`);
  return response;
}

// One object of numbers: counters since the start of the broker, and current queue lengths.
function flatten({ queue, errors = 0, outOfMemory = 0, nodes = [] }) {
  const { active, locked = 0, deferred = 0, scheduled, links = [], ...counters } = queue;
  return {
    ...counters,
    errors,
    outOfMemory,
    distinct: queue.outgoing - queue.redelivered,
    queued: active + locked + deferred + scheduled,
    maxUnsettled: Math.max(0, ...links.map((link) => link.maxUnsettled)),
    ...Object.fromEntries(nodes.map((busy, node) => [`node${node}`, busy])),
  };
}

// The queue in the management API of every namespace, which has no counters.
export function ofDescription(xml) {
  const count = (name) => Number((new RegExp(`${name}>(\\d+)<`).exec(xml) || [0, 0])[1]);
  const deadLetter = count('DeadLetterMessageCount');
  const queue = { active: count('ActiveMessageCount'), scheduled: count('ScheduledMessageCount'), deadLetter, deadLettered: deadLetter };
  return flatten({ queue });
}

export function tokenFor(bus, host) {
  const resource = encodeURIComponent(`https://${host}/`);
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = encodeURIComponent(crypto.hmac('sha256', bus.SharedAccessKey, `${resource}\n${expiry}`, 'base64'));
  return `SharedAccessSignature sr=${resource}&sig=${signature}&se=${expiry}&skn=${bus.SharedAccessKeyName}`;
}
