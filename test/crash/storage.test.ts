import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { dataPaths } from '../../src/core/paths.ts';
import { originalPath, MARKER } from '../../src/storage/stored-file.ts';
import { toSha256 } from '../support/forms.ts';
import { runCommand } from '../support/command-line.ts';
import {
  type Account,
  type RunningServer,
  signUp,
  startAgain,
  startServer,
  until,
} from '../e2e/server.ts';
import { TIMEOUT_MS } from '../e2e/stage.ts';
import { isReady } from '../support/served.ts';

// The data folder of a server whose database is elsewhere goes away and comes back, as when its disk is unmounted:
// then an empty folder is in its place.

let first: RunningServer;
/** The one that runs now, on the library of the first. */
let server: RunningServer;
let account: Account;
let away: string;
let kept: Buffer;
beforeAll(async () => {
  first = server = await startServer();
  account = await signUp(server.url);
  away = `${server.dataDir}.away`;
  kept = await picture(1);
  await upload(server.url, kept);
}, TIMEOUT_MS);
afterAll(async () => {
  await server.stop();
  await first.stop();
});

test('all folders are there from the start', async () => {
  const answer = await fetch(`${server.url}/api/admin/maintenance/detect-install`, {
    headers: { 'x-api-key': account.apiKey },
  });
  const { storage } = (await answer.json()) as {
    storage: { folder: string; readable: boolean; writable: boolean }[];
  };
  expect(storage.map(({ folder }) => folder)).toContain('profile');
  for (const folder of storage) expect(folder).toMatchObject({ readable: true, writable: true });
});

const picture = (seed: number): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: { r: seed, g: 9, b: 9 } } })
    .jpeg()
    .toBuffer();

async function upload(url: string, bytes: Buffer): Promise<Response> {
  const form = new FormData();
  form.set('assetData', new File([new Uint8Array(bytes)], 'a.jpg'));
  form.set('fileCreatedAt', '2026-01-01T00:00:00Z');
  form.set('fileModifiedAt', '2026-01-01T00:00:00Z');
  return fetch(`${url}/api/assets`, { method: 'POST', body: form, headers: headers() });
}

const headers = () => ({ 'x-api-key': account.apiKey });
const get = (url: string, path: string) => fetch(`${url}/api${path}`, { headers: headers() });

async function listItems(url: string): Promise<{ id: string }[]> {
  const response = await fetch(`${url}/api/search/metadata`, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { assets: { items: { id: string }[] } }).assets.items;
}

async function unmount(dataDir: string): Promise<void> {
  await rename(dataDir, away);
  await mkdir(dataDir);
}

async function mountAgain(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true });
  await rename(away, dataDir);
}

test(
  'nothing is acknowledged, written or called missing while the disk is away, and all goes on when it is back',
  async () => {
    const { url, dataDir } = server;
    const [item] = await listItems(url);
    await unmount(dataDir);
    const refused = await upload(url, await picture(2));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await get(url, `/assets/${item!.id}/original`)).status).toBe(503);
    expect((await get(url, `/assets/${item!.id}/thumbnail`)).status).toBe(503);
    expect(await isReady(url)).toBe(false);
    expect((await fetch(`${url}/api/server/ping`)).status).toBe(200);
    const isTold = () => server.log.some((line) => line.includes('storage lost'));
    await until('the log', async () => isTold());
    expect(await readdir(dataDir)).toEqual([]);
    await mountAgain(dataDir);
    await until('the storage', () => isReady(url));
    expect((await get(url, `/assets/${item!.id}/original`)).status).toBe(200);
    expect((await upload(url, await picture(3))).status).toBe(201);
  },
  TIMEOUT_MS,
);

test(
  'a start on an empty folder or on that of another library serves nothing and makes no folders',
  async () => {
    const { dataDir } = server;
    server.process.kill('SIGTERM');
    await server.process.exited;
    const stored = originalPath(dataPaths(dataDir), toSha256(kept));
    expect(existsSync(stored)).toBe(true);
    await unmount(dataDir);
    server = await startAgain(first);
    const { url, log } = server;
    expect((await upload(url, await picture(4))).status).toBe(503);
    expect((await get(url, '/timeline/buckets')).status).toBe(503);
    expect(await isReady(url)).toBe(false);
    expect(log.join('\n')).toContain('is its disk mounted?');
    const foreign = ['originals', 'derived', 'backups'].map((name) => join(dataDir, name));
    for (const folder of foreign) expect(existsSync(folder)).toBe(false);

    for (const folder of foreign) {
      await mkdir(folder);
      await writeFile(join(folder, MARKER), `${crypto.randomUUID()}\n`);
    }
    expect((await upload(url, await picture(4))).status).toBe(503);
    for (const folder of foreign) expect(await readdir(folder)).toEqual([MARKER]);
    for (const folder of foreign) await rm(folder, { recursive: true });
    await server.stop();
    await rm(join(dataDir, '.lock'), { force: true });
    // It watches this one for the state of maintenance mode.
    expect(await readdir(dataDir)).toEqual(['maintenance']);
    await rm(dataDir, { recursive: true });
    await rename(away, dataDir);
    server = await startAgain(first);
    expect((await listItems(server.url)).length).toBeGreaterThan(0);
    expect((await upload(server.url, await picture(4))).status).toBe(201);
  },
  TIMEOUT_MS,
);

test(
  'a folder that was made anew is refused until the owner accepts it',
  async () => {
    const { url, dataDir, databaseUrl } = server;
    const { derived } = dataPaths(dataDir);
    await rm(derived, { recursive: true });
    // A job of the server may have made it already.
    await mkdir(derived, { recursive: true });
    expect((await upload(url, await picture(5))).status).toBe(503);
    const { code, out } = await runCommand(dataDir, [
      'maintenance',
      'accept-folders',
      `--data=${dataDir}`,
      `--database-url=${databaseUrl}`,
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('belong to this library')]);
    await until('the storage', () => isReady(url));
    expect((await upload(url, await picture(5))).status).toBe(201);
  },
  TIMEOUT_MS,
);
