import { afterEach, expect, setDefaultTimeout } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { addDatabase } from '../fixtures/data-folder.ts';
import { plainEnvironment, readyUrl, signUp, until } from '../e2e/server.ts';
import { getProgram } from '../support/program.ts';
import { skipWithout } from '../support/requirements.ts';
import { mountDisk, unmount } from '../support/mounts.ts';

// A disk of 420 MB with everything on it, the database too.

setDefaultTimeout(300_000);
const { test } = skipWithout('tmpfs');

const MIB = 1024 ** 2;
const RESERVE = 160 * MIB;

let cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  cleanUp = [];
});

function createDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  mountDisk(folder, 420 * MIB, '755');
  cleanUp.push(async () => {
    unmount(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

async function serve(dataDir: string) {
  const flags = ['--host=127.0.0.1', '--port=0', '--log-format=json', `--reserve=${RESERVE}`];
  const child = Bun.spawn([...getProgram(), 'serve', `--data=${dataDir}`, ...flags], {
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  cleanUp.push(stop);
  const log: string[] = [];
  return { url: await readyUrl(child.stderr, log), log, stop };
}

const freeOn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Fills the disk except for `left` bytes. */
async function fill(folder: string, left: number): Promise<string> {
  const path = join(folder, `filler-${crypto.randomUUID()}`);
  const size = freeOn(folder) - left;
  expect(Bun.spawnSync(['fallocate', '-l', String(size), path]).exitCode).toBe(0);
  return path;
}

function photo(seed: number): Promise<Buffer> {
  const noise = {
    create: {
      width: 1600,
      height: 1200,
      channels: 3,
      background: '#777',
      noise: { type: 'gaussian', mean: 128, sigma: 20 + seed },
    },
  } as const;
  return sharp(noise).jpeg({ quality: 90 }).toBuffer();
}

async function upload(url: string, apiKey: string, seed: number): Promise<Response> {
  const form = new FormData();
  form.append(
    'assetData',
    new File([new Uint8Array(await photo(seed))], `${seed}.jpg`, { type: 'image/jpeg' }),
  );
  for (const name of ['fileCreatedAt', 'fileModifiedAt'])
    form.append(name, '2024-01-01T00:00:00.000Z');
  return fetch(`${url}/api/assets`, {
    method: 'POST',
    body: form,
    headers: { 'x-api-key': apiKey },
  });
}

test('a nearly full disk refuses uploads first, then stops rendering, which resumes when space is free', async () => {
  const disk = createDisk();
  const dataDir = join(disk, 'data');
  await addDatabase(dataDir);
  const { url, log } = await serve(dataDir);
  const { apiKey } = await signUp(url);
  const headers = { 'x-api-key': apiKey };

  // Above the reserve with the photo, and then below half of it before it is rendered.
  const filler = await fill(disk, RESERVE + 8 * MIB);
  await fetch(`${url}/api/jobs/thumbnailGeneration`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ command: 'pause' }),
  });
  const taken = await upload(url, apiKey, 1);
  expect(taken.status).toBe(201);
  const { id } = (await taken.json()) as { id: string };
  const more = await fill(disk, RESERVE / 2 - 8 * MIB);
  expect((await upload(url, apiKey, 2)).status).toBe(503);
  await fetch(`${url}/api/jobs/thumbnailGeneration`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ command: 'resume' }),
  });
  await until('the lane to wait', async () => log.some((line) => line.includes('low disk space')));
  const thumbnail = () => fetch(`${url}/api/assets/${id}/thumbnail`, { headers });
  expect((await thumbnail()).status).not.toBe(200);

  rmSync(more);
  rmSync(filler);
  await until('the thumbnail', async () => (await thumbnail()).status === 200);
  expect((await upload(url, apiKey, 2)).status).toBe(201);
});

test('on a full disk the server starts, shows and deletes assets, and accepts uploads after that', async () => {
  const disk = createDisk();
  const dataDir = join(disk, 'data');
  await addDatabase(dataDir);
  const first = await serve(dataDir);
  const { apiKey } = await signUp(first.url);
  const headers = { 'x-api-key': apiKey };
  const { id } = (await (await upload(first.url, apiKey, 1)).json()) as { id: string };
  await until('the thumbnail', async () => {
    const { status } = await fetch(`${first.url}/api/assets/${id}/thumbnail`, { headers });
    return status === 200;
  });
  const reserve = join(dataDir, '.reserve');
  await until('the reserve', async () => existsSync(reserve));
  await first.stop();
  const filler = await fill(disk, 0);
  expect(freeOn(disk)).toBeLessThan(MIB);

  const { url, log } = await serve(dataDir);
  expect(log.join('\n')).toContain('released the database reserve');
  expect(existsSync(reserve)).toBe(false);
  const original = await fetch(`${url}/api/assets/${id}/original`, { headers });
  expect([original.status, (await original.bytes()).length > 0]).toEqual([200, true]);
  expect((await upload(url, apiKey, 2)).status).toBe(503);
  const removed = await fetch(`${url}/api/assets`, {
    method: 'DELETE',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [id], force: true }),
  });
  expect(removed.status).toBe(204);
  await until('the original to be removed', async () => {
    const found = [...new Bun.Glob('originals/**').scanSync({ cwd: dataDir, onlyFiles: true })];
    return found.length === 0;
  });

  rmSync(filler);
  expect((await upload(url, apiKey, 2)).status).toBe(201);
  await until('the reserve', async () => existsSync(reserve));
});
