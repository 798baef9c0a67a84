import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { serveFrom } from '../../test/support/served.ts';
import { dataPaths } from '../core/paths.ts';
import { writeState } from './state.ts';
import { signToken } from './token.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('bodies-test-');
const served = serveFrom(folder);
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MIB = 1024 ** 2;
const JSON_TYPE = { 'content-type': 'application/json' };
const LOGIN = 'admin/maintenance/login';
const ENTRY = '/api/admin/maintenance';

/** A server in maintenance mode, and the cookie of its administrator. */
async function open() {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
  const paths = dataPaths(dataDir);
  mkdirSync(paths.root, { recursive: true });
  const { secret } = writeState(paths, { action: 'start' });
  const { url, child } = await served.serve('--data', dataDir);
  const token = signToken(secret, { username: 'administrator' }, new Date());
  const send = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { method, ...init });
    return [response.status, (await response.json().catch(() => ({}))) as object] as const;
  };
  const cookie = { cookie: `immich_maintenance_token=${token}` };
  const readBytes = (name: 'VmRSS' | 'VmHWM') => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024;
  };
  return { url, send, cookie, readBytes };
}

/** Almost 10 MiB, more than a million objects: in memory a hundred times as large. */
const LARGE = `[${'{"a":1},'.repeat(1_300_000)}0]`;

const stream = (text: string) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });

test('large bodies of strangers are refused unread, and other requests are answered meanwhile', async () => {
  const { url, send, readBytes } = await open();
  const refuse = async (at: number) => {
    const path = at % 3 === 0 ? ENTRY : `/api/${LOGIN}`;
    // Every third does not tell its length.
    const body = at % 3 === 1 ? stream(LARGE) : LARGE;
    return (await send('POST', path, { headers: JSON_TYPE, body }))[0];
  };
  const cold = readBytes('VmRSS');
  // Some memory is that of the first requests of a kind.
  for (let round = 0; round < 3; round++) await Promise.all([0, 1, 2].map(refuse));
  const before = readBytes('VmRSS');
  const given = Array.from({ length: 12 }, (_, at) => refuse(at));
  const pings = Array.from({ length: 5 }, () => fetch(`${url}/api/server/ping`));
  for (const ping of pings) expect((await ping).status).toBe(200);
  const statuses = await Promise.all(given);
  expect(new Set(statuses)).toEqual(new Set([401, 413]));
  expect(statuses.filter((status) => status === 401)).toHaveLength(4);
  expect((readBytes('VmHWM') - before) / MIB).toBeLessThan(30);
  expect((readBytes('VmHWM') - cold) / MIB).toBeLessThan(80);
});

test('a body is read as the application reads it', async () => {
  const { send, cookie } = await open();
  const login = (body: string, headers = JSON_TYPE) =>
    send('POST', `/api/${LOGIN}`, { headers, body });
  const text = { 'content-type': 'text/plain' };
  expect(await login('{}', text)).toMatchObject([415, { message: expect.any(String) }]);
  for (const body of ['{', '[]', '"a"', '7', '{"a":"\\ud800"}']) {
    expect((await login(body))[0]).toBe(400);
  }
  expect((await login('['.repeat(100)))[0]).toBe(400);
  expect((await login('{}'))[0]).toBe(401);
  expect((await login(`{"token":"${'x'.repeat(70_000)}"}`))[0]).toBe(413);

  // With the cookie the same, for every operation that takes a body.
  const asAdmin = { ...text, ...cookie };
  const operations = [
    ['POST', ENTRY],
    ['DELETE', '/api/admin/database-backups'],
  ] as const;
  for (const [method, path] of operations) {
    const body = '{"action":"end"}';
    expect([path, (await send(method, path, { headers: asAdmin, body }))[0]]).toEqual([path, 415]);
    expect([path, (await send(method, path, { headers: text, body }))[0]]).toEqual([path, 401]);
  }
  const [status] = await send('GET', '/api/admin/maintenance/status');
  expect(status).toBe(200);
  const json = { ...JSON_TYPE, ...cookie };
  const [known] = await send('POST', ENTRY, { headers: json, body: '{"action":"no"}' });
  expect(known).toBe(400);
});
