import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../test/support/database.ts';
import { call, seed, testApp } from '../../test/support/harness.ts';
import { parseOpenMetrics } from '../../test/support/openmetrics.ts';
import { serveFrom } from '../../test/support/served.ts';
import { openStores } from '../storage/library-folders.ts';

setDefaultTimeout(300_000);

const TOKEN = 'scraper-token-0123456789';
const database = await useDatabase();
let served: ReturnType<typeof serveFrom>;
beforeAll(async () => {
  // Before there are items without files.
  await openStores(database.deps);
  served = serveFrom(database.deps.paths.root);
});
afterEach(() => served.stopAll());

/** No lane with jobs of the schedule: they would be counted too. */
const serve = (...flags: string[]) => {
  const { dataDir, databaseUrl } = database.deps.settings;
  const place = ['--data', dataDir, '--database-url', databaseUrl!, '--lanes', 'video'];
  return served.serve(...place, ...flags);
};
const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('there are no metrics without a token in the settings', async () => {
  const { url } = await serve();
  const page = { headers: { accept: 'text/html', authorization: 'Bearer ' } };
  for (const path of ['/metrics', '/metrics?x=1', '/api/metrics']) {
    expect((await fetch(`${url}${path}`, page)).status).toBe(404);
  }
  const { body } = await call(testApp(database), 'GET /openapi.json');
  expect(Object.keys(body.paths).filter((path) => path.includes('metrics'))).toEqual([]);
});

test('requires the token, which no user has', async () => {
  const { url } = await serve('--metrics-token', TOKEN);
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const status = async (init: RequestInit, path = '/metrics') =>
    (await fetch(`${url}${path}`, init)).status;
  expect(await status({})).toBe(401);
  expect(await status(withToken(`${TOKEN}x`))).toBe(401);
  expect(await status(withToken(admin.token))).toBe(401);
  expect(await status({ headers: { 'x-api-key': TOKEN } })).toBe(401);
  expect(await status({}, `/metrics?token=${TOKEN}`)).toBe(401);
  expect(await status({ ...withToken(TOKEN), method: 'POST' })).toBe(404);
  const refused = await fetch(`${url}/metrics`);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  const head = await fetch(`${url}/metrics`, { ...withToken(TOKEN), method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await status(withToken(TOKEN), '/api/assets/statistics')).toBe(401);
});

test('counts requests by route, and jobs of all machines by queue, in valid OpenMetrics', async () => {
  const user = await seed(database).user();
  const fileName = 'holiday-secret.jpg';
  const assetId = await seed(database).asset({ ownerId: user.id, fileName });
  const payload = JSON.stringify({ assetId });
  await database.sql`insert into job (name, queue, lane, payload, state, run_at, last_error) values
    ('assets.renderImage', 'thumbnailGeneration', 'image', ${payload}, 'waiting',
      now() - interval '1 hour', null),
    ('assets.renderImage', 'thumbnailGeneration', 'image', ${payload}, 'failed', 'infinity',
      ${fileName})`;
  await database.sql`insert into job_done (queue, jobs, failed)
    values ('ocr', 3, 1), ('ocr', 2, 0), ('someday', 1, 1)`;
  await database.sql`insert into queue (name, is_paused) values ('ocr', true)`;
  const { url } = await serve('--metrics-token', TOKEN);
  const get = (path: string, headers: Record<string, string> = { 'x-api-key': user.key }) =>
    fetch(`${url}${path}`, { headers }).then((response) => response.text());
  await get(`/api/assets/${assetId}`);
  await get(`/api/assets/${assetId}?key=${fileName}`, {});
  await get(`/api/assets/${randomUUID()}`);
  await get('/api/server/ping');
  for (const path of [`/api/${fileName}`, `/api/${assetId}/x`, `/${fileName}`]) await get(path);

  const response = await fetch(`${url}/metrics`, withToken(TOKEN));
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ]);
  const text = await response.text();
  const { samples } = parseOpenMetrics(text);
  for (const secret of [assetId, user.id, user.key, user.email, fileName, 'holiday', TOKEN]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}|\/tmp|someday/);

  const requests = (labels: string) => samples.get(`safelight_http_requests_total{${labels}}`);
  const route = 'method="GET",route="/api/assets/:id"';
  expect(requests(`${route},status="200"`)).toBe(1);
  expect(requests(`${route},status="401"`)).toBe(1);
  expect(requests(`${route},status="400"`)).toBe(1);
  expect(requests('method="GET",route="/api/server/ping",status="200"')).toBe(1);
  expect(requests('method="GET",route="/api/*",status="404"')).toBe(2);
  expect(requests('method="GET",route="/*",status="404"')).toBe(1);
  expect(samples.get(`safelight_http_request_duration_seconds_count{${route}}`)).toBe(3);

  const queue = 'queue="thumbnailGeneration"';
  expect(samples.get(`safelight_queue_jobs{${queue},state="waiting"}`)).toBe(1);
  expect(samples.get(`safelight_queue_jobs{${queue},state="failed"}`)).toBe(1);
  expect(samples.get(`safelight_queue_oldest_waiting_seconds{${queue}}`)).toBeWithin(3600, 3700);
  expect(samples.get('safelight_queue_oldest_waiting_seconds{queue="ocr"}')).toBe(0);
  expect(samples.get('safelight_queue_paused{queue="ocr"}')).toBe(1);
  expect(samples.get('safelight_jobs_total{queue="ocr",result="succeeded"}')).toBe(5);
  expect(samples.get('safelight_jobs_total{queue="ocr",result="failed"}')).toBe(1);

  expect(samples.get('safelight_database_up')).toBe(1);
  expect(samples.get('safelight_live_clients')).toBe(0);
  expect(samples.get('safelight_database_pool_size{pool="server"}')).toBe(10);
  expect(samples.get('safelight_database_connections{pool="server",state="busy"}')).toBeNumber();
  for (const name of ['process_resident_memory_bytes', 'safelight_disk_available_bytes']) {
    expect(samples.get(name)).toBeGreaterThan(1e6);
  }
});
