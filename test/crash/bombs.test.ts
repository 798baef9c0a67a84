import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { memoryMiB, pssMiB } from '../bench/processes.ts';
import { BOMBS, makeBombs } from '../support/bombs.ts';
import { flat } from '../fixtures/index.ts';
import { readCommandLine } from '../support/processes.ts';
import { BOUNDARY, DATES, FORM_TYPE, createForm } from '../support/forms.ts';
import { type RunningServer, signUp, startServer, until } from '../e2e/server.ts';

// Decompression bombs against a whole server: memory stays bounded and other uploads succeed.

const TIMEOUT_MS = 600_000;
/** The allowed growth of the server and its child processes. */
const MOST_MIB = 600;
const GOOD = 12;

let server: RunningServer;
let database: Database;
let apiKey: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-bombs-'));
  server = await startServer('--media-concurrency=3');
  database = openDatabase(server.databaseUrl, { max: 1 });
  ({ apiKey } = await signUp(server.url));
}, TIMEOUT_MS);
afterAll(async () => {
  await database?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Streams the file from disk. Returns the id of the asset. */
async function upload(name: string, path: string): Promise<string> {
  const end = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const part = { name: 'assetData', fileName: name, bytes: new Uint8Array(0) };
  const head = Buffer.from(createForm([...DATES, part])).subarray(0, -end.length);
  async function* body() {
    yield head;
    yield* Bun.file(path).stream();
    yield end;
  }
  const reply = await fetch(`${server.url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
    body: body() as unknown as BodyInit,
  });
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { id: string }).id;
}

/** Creates a picture with a valid beginning, filled up with zeros. */
async function sparseJpeg(path: string, size: number): Promise<void> {
  const jpeg = await flat([10, 20, 30]).jpeg().toBuffer();
  const file = await open(path, 'w');
  await file.write(jpeg.subarray(0, -2));
  await file.close();
  await truncate(path, size);
}

/** For the message of a failure. */
function describeProcess(pid: number): string[] {
  const command = readCommandLine(pid).replaceAll('\0', ' ');
  return command === ''
    ? []
    : [`${memoryMiB(pid, 'VmRSS').toFixed(0)} MiB ${command.slice(0, 300)}`];
}

async function states() {
  const rows = await database.sql<{ id: string; reason: string | null; is_shown: boolean }[]>`
    select id, broken_reason as reason, thumbhash is not null as is_shown from asset`;
  return new Map(rows.map((row) => [row.id, row]));
}

test(
  'decompression bombs are refused or aborted within the memory limit while other uploads are processed',
  async () => {
    const bombs = await makeBombs(folder);
    const huge = join(folder, 'huge.jpg');
    // If it were read as a whole, it would not fit.
    await sparseJpeg(huge, (MOST_MIB + 50) * 1024 ** 2);
    await Bun.sleep(2000);
    const idle = pssMiB(server.process.pid);
    let peak = 0;
    let holders: readonly string[] = [];
    const sampler = setInterval(() => {
      const now = pssMiB(server.process.pid);
      if (now <= peak) return;
      peak = now;
      holders = listProcessTree(server.process.pid).flatMap(describeProcess);
    }, 100);
    const ids = new Map<string, string>();
    for (const [name, path] of bombs) ids.set(name, await upload(name, path));
    ids.set('huge.jpg', await upload('huge.jpg', huge));
    const good: string[] = [];
    for (let index = 0; index < GOOD; index++) {
      const path = join(folder, `good${index}.jpg`);
      await flat([index * 9, 80, 90])
        .jpeg()
        .toFile(path);
      good.push(await upload(`good${index}.jpg`, path));
    }
    const settled = await until(
      'a verdict about every file',
      async () => {
        const all = await states();
        return [...all.values()].every((row) => row.reason ?? row.is_shown) && all;
      },
      500,
    );
    clearInterval(sampler);
    const wrong = [...ids].map(([name, id]) => [name, settled.get(id)!.reason] as const);
    for (const { name, fate } of BOMBS) {
      const reason = settled.get(ids.get(name)!)!.reason;
      if (fate === 'too-large')
        expect([name, reason]).toEqual([name, expect.stringMatching(/^too-large: /)]);
    }
    expect(wrong.find(([name]) => name === 'lying.avif')?.[1]).not.toBeNull();
    for (const id of good) expect(settled.get(id)).toMatchObject({ reason: null, is_shown: true });
    if (peak - idle > MOST_MIB) console.error(holders.join('\n'));
    expect(peak - idle).toBeLessThan(MOST_MIB);
  },
  TIMEOUT_MS,
);
