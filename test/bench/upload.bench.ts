// bun test/bench/upload.bench.ts: what one connection takes in, and how many photos a second.
// Through the real listener, in a process of its own; the database is TEST_POSTGRES.
import { createHash, randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../crash/child.ts';
import { DATES, FORM_TYPE, filePart, createForm } from '../support/forms.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { getCpuMs, memoryMiB } from './processes.ts';

const MIB = 1024 ** 2;
const bigMiB = Number(process.env['BENCH_MIB'] ?? 2048);
const photos = Number(process.env['BENCH_PHOTOS'] ?? 300);
const PHOTO_BYTES = 4 * MIB;

const database = await testDatabase();
const alice = await seed(database).user();
const { databaseUrl, dataDir } = database.deps.settings;
const server = await startChild(databaseUrl!, dataDir);
const results: Record<string, number> = {};

const cpuSeconds = () => getCpuMs(server.pid) / 1000;

/** curl reads the file and sends it; a client in JavaScript would be what is measured. */
async function curl(files: readonly string[]): Promise<string[]> {
  const child = Bun.spawn(
    [
      'curl',
      '-sS',
      '-H',
      'expect:',
      '-H',
      `x-api-key: ${alice.key}`,
      ...DATES.flatMap(({ name, value }) => ['-F', `${name}=${value}`]),
      ...files.flatMap((file) => ['-F', `assetData=@${file}`]),
      `${server.url}/api/assets`,
    ],
    { stdout: 'pipe' },
  );
  return (await new Response(child.stdout).text()).match(/"status":"\w+"/g) ?? [];
}

async function bigFile(): Promise<void> {
  const path = join(tmpdir(), `upload-bench-${process.pid}.mp4`);
  const file = await open(path, 'w');
  for (let written = 0; written < bigMiB; written++) await file.write(randomBytes(MIB));
  await file.close();
  const [cpu, at] = [cpuSeconds(), performance.now()];
  const [reply] = await curl([path]);
  const seconds = (performance.now() - at) / 1000;
  await rm(path);
  if (reply !== '"status":"created"') throw new Error(`not created: ${reply}`);
  results['big file, MB/s on one connection'] = (bigMiB * MIB) / 1e6 / seconds;
  results['big file, CPU ms per MB'] = (cpuSeconds() - cpu) / ((bigMiB * MIB) / 1e9);
  results['big file, peak RSS of the server in MiB'] = memoryMiB(server.pid, 'VmHWM');
}

async function manyPhotos(connections: number): Promise<void> {
  const base = randomBytes(PHOTO_BYTES);
  // Made before the clock starts: the bytes differ in their head alone.
  const forms = Array.from({ length: photos }, () => {
    const bytes = Buffer.from(base);
    randomBytes(16).copy(bytes);
    return createForm([...DATES, filePart(bytes)]);
  });
  const times: number[] = [];
  const [cpu, at] = [cpuSeconds(), performance.now()];
  const work = async () => {
    for (let form = forms.pop(); form; form = forms.pop()) {
      const start = performance.now();
      const reply = await fetch(`${server.url}/api/assets`, {
        method: 'POST',
        headers: { 'x-api-key': alice.key, 'content-type': FORM_TYPE },
        body: form as Uint8Array<ArrayBuffer>,
      });
      if (reply.status !== 201) throw new Error(`not created: ${await reply.text()}`);
      await reply.arrayBuffer();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - at) / 1000;
  times.sort((a, b) => a - b);
  const name = `4 MiB photos, ${connections} connections`;
  results[`${name}: accepted/s`] = photos / seconds;
  results[`${name}: p50 ms`] = times[Math.floor(times.length / 2)]!;
  results[`${name}: CPU ms each`] = ((cpuSeconds() - cpu) * 1000) / photos;
}

/** As long as a million rows of one owner make it: see test/bench/seed.ts for the rows. */
async function bulkCheck(count: number): Promise<void> {
  const assets = Array.from({ length: count }, (_, index) => ({
    id: `${index}.jpg`,
    checksum: createHash('sha1').update(`${index}`).digest('hex'),
  }));
  const body = JSON.stringify({ assets });
  const times: number[] = [];
  for (let round = 0; round < 50; round++) {
    const start = performance.now();
    const reply = await fetch(`${server.url}/api/assets/bulk-upload-check`, {
      method: 'POST',
      headers: { 'x-api-key': alice.key, 'content-type': 'application/json' },
      body,
    });
    await reply.arrayBuffer();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  results[`check of ${count} checksums: p50 ms`] = times[25]!;
}

await manyPhotos(1);
await manyPhotos(4);
await bulkCheck(500);
await bulkCheck(5000);
await bigFile();
results['RSS of the server after all, in MiB'] = memoryMiB(server.pid, 'VmRSS');
await server.kill();
await database.close();

const rounded = Object.entries(results).map(([name, value]) => [name, Math.round(value * 10) / 10]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
