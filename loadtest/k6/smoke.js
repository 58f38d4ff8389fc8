// Smoke test: sends deliveries, and follows each of them until it is recorded or has failed.
//
//   k6 run loadtest/k6/smoke.js          while `./lab up` is running, which `./lab send` also does
//
// DELIVERIES  number of deliveries: 20 by default         CALLERS  concurrent deliveries: 20 by default
// TARGETS     base addresses of Ingestion, or of the gateway with its subscription key KEY
// CANCEL=1    cancel each delivery in the end
// EXPECTED    status of the response to a request: 202 by default; with another status, there is no delivery to follow
import { check, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

const iterations = Number(__ENV.DELIVERIES || 20);
const targets = (__ENV.TARGETS || 'http://127.0.0.1:5100').split(',');
const expected = Number(__ENV.EXPECTED || 202);
const timeoutSeconds = 60;
const request = JSON.parse(open(__ENV.REQUEST || import.meta.resolve('../requests/delivery.json')));
const headers = { 'Content-Type': 'application/json', ...(__ENV.KEY && { 'Ocp-Apim-Subscription-Key': __ENV.KEY }) };
const duration = new Trend('delivery_duration', true);

export const options = {
  scenarios: {
    follow_deliveries: { executor: 'shared-iterations', vus: Math.min(Number(__ENV.CALLERS || 20), iterations), iterations, maxDuration: '1h' },
  },
  thresholds: {
    checks: ['rate==1'],
    'checks{check:request has the expected status}': ['rate==1'],
    ...(expected === 202 && { 'checks{check:delivery is completed}': ['rate==1'] }),
  },
  userAgent: 'drone-delivery-smoke-test',
};

export default function () {
  const [number, startedAt] = [exec.scenario.iterationInTest, Date.now()];
  const send = (method, path, body) =>
    http.request(method, targets[(number + startedAt) % targets.length] + path, body, {
      headers,
      responseCallback: http.expectedStatuses({ min: 200, max: 204 }, 404, expected),
      tags: { name: body ? 'request a delivery' : 'follow a delivery' },
    });
  const isInTime = () => Date.now() < startedAt + timeoutSeconds * 1000;
  const id = `smoke-${startedAt}-${number}`;
  const body = JSON.stringify({ ...request, deliveryId: id, packageInfo: { ...request.packageInfo, packageId: id } });
  let accepted = send('POST', '/api/deliveryrequests', body);
  // 503 and 504 are temporary. A retry has the same deliveryId, so the delivery is created once.
  while ([503, 504].includes(accepted.status) && accepted.status !== expected && isInTime()) {
    sleep(Number(accepted.headers['Retry-After'] || 1));
    accepted = send('POST', '/api/deliveryrequests', body);
  }
  const isExpected = check(accepted, { 'request has the expected status': ({ status }) => status === expected });
  if (!isExpected || expected !== 202) return;
  let delivery = { status: 0 };
  while (delivery.status !== 200 && isInTime()) {
    delivery = send('GET', accepted.headers.Location);
    if (delivery.status !== 200) sleep(0.1);
  }
  duration.add(Date.now() - startedAt);
  check(delivery, { 'delivery is completed': ({ status }) => status === 200 && delivery.json('stage') !== 'Failed' });
  if (__ENV.CANCEL) check(send('DELETE', accepted.headers.Location), { 'delivery is canceled': ({ status }) => status >= 200 && status < 300 });
}
