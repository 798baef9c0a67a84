import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createForm, DATES, filePart, FORM_TYPE } from '../support/forms.ts';
import { getProgram } from '../support/program.ts';
import { serveFrom } from '../support/served.ts';
import { type Ceph, startCeph } from './ceph.ts';

// A server whose originals are in Ceph, while everything is killed: SAFELIGHT_TEST_CLUSTER_SECONDS of it.

setDefaultTimeout(3_600_000);
const SECONDS = Number(process.env['SAFELIGHT_TEST_CLUSTER_SECONDS'] ?? 120);
const UPLOADERS = 4;
const KILL_EVERY_MS = 5000;
const WHOLE_DEADLINE_MS = 35_000;

const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const server = serveFrom(folder);
let ceph: Ceph;
let flags: readonly string[];
beforeAll(async () => {
  ceph = await startCeph(join(folder, 'ceph'));
  const store = [
    '--object-store',
    getUrl('library'),
    '--object-store-credentials',
    ceph.credentials,
  ];
  flags = ['--data', join(folder, 'data'), ...store];
});
afterAll(async () => {
  await server.stopAll();
  ceph?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a part of the bucket: a library refuses one in which anything else is. */
const getUrl = (prefix: string): string => ceph.url.replace('?', `/${prefix}?`);

test('the contract of object stores holds', async () => {
  const env = {
    ...process.env,
    SAFELIGHT_TEST_S3: getUrl('contract'),
    SAFELIGHT_TEST_S3_CREDENTIALS: ceph.credentials,
  };
  const file = join(import.meta.dir, '../../src/storage/object-store.test.ts');
  const child = Bun.spawn([process.execPath, 'test', '--timeout=60000', file], {
    env,
    stderr: 'inherit',
  });
  expect(await child.exited).toBe(0);
});

const post = (url: string, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).then((response) => response.json() as Promise<Record<string, string>>);

async function createKey(url: string): Promise<string> {
  const account = { email: 'ann@example.org', password: 'a long password' };
  await post(url, '/auth/admin-sign-up', { ...account, name: 'Ann' });
  const { accessToken } = await post(url, '/auth/login', account);
  const headers = { authorization: `Bearer ${accessToken}` };
  const made = await post(url, '/api-keys', { name: 'test', permissions: ['all'] }, headers);
  return made['secret']!;
}

const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('base64');

test('nothing that was acknowledged is lost, and no request hangs, while all are killed', async () => {
  let running = await server.serve(...flags);
  const port = new URL(running.url).port;
  const key = await createKey(running.url);
  const acknowledged = new Map<string, string>();
  const outcomes = { refused: 0, broken: 0, longestMs: 0 };
  const until = performance.now() + SECONDS * 1000;

  async function uploadUntilEnd(): Promise<void> {
    while (performance.now() < until) {
      const bytes = randomBytes(300_000);
      const from = performance.now();
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/assets`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': FORM_TYPE },
          body: createForm([...DATES, filePart(bytes)]) as BodyInit,
        });
        const { id } = (await response.json()) as { id?: string };
        if (response.status === 201) acknowledged.set(id!, sha1(bytes));
        else outcomes.refused += 1;
        outcomes.longestMs = Math.max(outcomes.longestMs, performance.now() - from);
      } catch {
        // The server was killed.
        outcomes.broken += 1;
      }
      await Bun.sleep(1000 * Math.random());
    }
  }

  async function killUntilEnd(): Promise<void> {
    for (let round = 0; performance.now() < until; round += 1) {
      await Bun.sleep(KILL_EVERY_MS);
      const part = (['gateway', 'osd', 'server'] as const)[round % 3]!;
      if (part === 'server') {
        running.child.kill('SIGKILL');
        await running.child.exited;
        running = await server.serve(...flags, '--port', port);
      } else {
        ceph.signal(part, 'SIGKILL');
        await Bun.sleep(1000);
        await ceph.start(part);
      }
    }
  }

  await Promise.all([killUntilEnd(), ...Array.from({ length: UPLOADERS }, uploadUntilEnd)]);
  console.log({ acknowledged: acknowledged.size, ...outcomes });
  expect(acknowledged.size).toBeGreaterThan(SECONDS / 4);
  expect(outcomes.longestMs).toBeLessThan(WHOLE_DEADLINE_MS);

  rmSync(join(folder, 'data/cache/originals'), { recursive: true, force: true });
  const wrong: string[] = [];
  for (const [id, checksum] of acknowledged) {
    const response = await fetch(`http://127.0.0.1:${port}/api/assets/${id}/original`, {
      headers: { 'x-api-key': key },
    });
    if (sha1(new Uint8Array(await response.arrayBuffer())) !== checksum) wrong.push(id);
  }
  expect(wrong).toEqual([]);

  const verify = Bun.spawn([...getProgram(), 'storage', 'verify', ...flags], { cwd: folder });
  expect(await verify.exited).toBe(0);
  expect(await new Response(verify.stdout).text()).toContain(', 0 are not');
});
