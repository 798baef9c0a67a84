// bun test/bench/resumable.bench.ts: a file of 2 GiB over one connection by the resumable protocol,
// in one request and in parts of 64 MiB; what the server needs for it, and who has to wait meanwhile.
import { createHash, randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../crash/child.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { creationHeaders, UPLOADS } from '../support/resumable.ts';
import { getCpuMs, memoryMiB } from './processes.ts';

const MIB = 1024 ** 2;
const sizeMiB = Number(process.env['BENCH_MIB'] ?? 2048);
const PART_MIB = 64;

const database = await testDatabase();
const alice = await seed(database).user();
const { databaseUrl, dataDir } = database.deps.settings;
const server = await startChild(databaseUrl!, dataDir);
const client = { port: Number(new URL(server.url).port), key: alice.key };
const results: Record<string, number> = {};

const cpuSeconds = () => getCpuMs(server.pid) / 1000;

/** A file of random bytes, other ones each time, and its SHA-256. */
async function makeFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  for (let written = 0; written < sizeMiB; written++) {
    const bytes = randomBytes(MIB);
    hash.update(bytes);
    await file.write(bytes);
  }
  await file.close();
  return hash.digest('base64');
}

type Reply = { readonly status: number; readonly location: string | undefined };

/** curl reads the file and sends it; a client in JavaScript would be what is measured. */
async function curl(
  method: string,
  url: string,
  headers: object,
  body: string | { readonly stdin: ReadableStream },
): Promise<Reply> {
  const child = Bun.spawn(
    [
      'curl',
      '-sS',
      '-i',
      '-X',
      method,
      '-H',
      'expect:',
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      '-T',
      typeof body === 'string' ? body : '-',
      url,
    ],
    { stdin: typeof body === 'string' ? 'ignore' : body.stdin, stdout: 'pipe' },
  );
  const text = await new Response(child.stdout).text();
  const [status] = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].slice(-1);
  return { status: Number(status?.[1]), location: /^location: (\S+)/im.exec(text)?.[1] };
}

const headersFor = (digest: string, changes: Record<string, string> = {}) => ({
  ...creationHeaders(client, Buffer.alloc(0)),
  'repr-digest': `sha-256=:${digest}:`,
  'upload-length': sizeMiB * MIB,
  ...changes,
});

/** Measures the latency of other requests: calls the cheapest operation all the time. */
function watch() {
  const [times, sizes]: [number[], number[]] = [[], []];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const at = performance.now();
      await (await fetch(`${server.url}/api/server/ping`)).arrayBuffer();
      times.push(performance.now() - at);
      sizes.push(memoryMiB(server.pid, 'VmRSS'));
      await Bun.sleep(20);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    times.sort((a, b) => a - b);
    const of = (share: number) => times[Math.floor((times.length - 1) * share)]!;
    return { p50: of(0.5), p99: of(0.99), max: of(1), first: sizes[0]!, top: Math.max(...sizes) };
  };
}

async function measure(name: string, work: (path: string, digest: string) => Promise<Reply>) {
  const path = join(tmpdir(), `resumable-bench-${process.pid}.bin`);
  const digest = await makeFile(path);
  const [cpu, at, stop] = [cpuSeconds(), performance.now(), watch()];
  const { status } = await work(path, digest);
  const seconds = (performance.now() - at) / 1000;
  const { p50, p99, max, first, top } = await stop();
  await rm(path);
  if (status !== 202) throw new Error(`${name}: ${status}`);
  results[`${name}: MB/s`] = (sizeMiB * MIB) / 1e6 / seconds;
  results[`${name}: CPU seconds per GB`] = (cpuSeconds() - cpu) / ((sizeMiB * MIB) / 1e9);
  results[`${name}: RSS before, in MiB`] = first;
  results[`${name}: RSS at most, in MiB`] = top;
  results[`${name}: ping p50 ms`] = p50;
  results[`${name}: ping p99 ms`] = p99;
  results[`${name}: ping max ms`] = max;
}

await measure('one request', (path, digest) =>
  curl('POST', server.url + UPLOADS, headersFor(digest), path),
);

await measure('parts of 64 MiB', async (path, digest) => {
  const part = (from: number) =>
    Bun.spawn(
      ['dd', `if=${path}`, 'bs=1M', `skip=${from / MIB}`, `count=${PART_MIB}`, 'status=none'],
      { stdout: 'pipe' },
    ).stdout;
  const { size } = Bun.file(path);
  const begin = headersFor(digest, { 'upload-complete': '?0' });
  let reply = await curl('POST', server.url + UPLOADS, begin, { stdin: part(0) });
  const url = server.url + reply.location;
  for (let from = PART_MIB * MIB; from < size; from += PART_MIB * MIB) {
    const headers = {
      'x-api-key': alice.key,
      'content-type': 'application/partial-upload',
      'upload-draft-interop-version': 9,
      'upload-offset': from,
      'upload-complete': from + PART_MIB * MIB >= size ? '?1' : '?0',
    };
    reply = await curl('PATCH', url, headers, { stdin: part(from) });
  }
  return reply;
});

results['RSS of the server after all, in MiB'] = memoryMiB(server.pid, 'VmRSS');
await server.kill();
await database.close();

const rounded = Object.entries(results).map(([name, value]) => [name, Math.round(value * 10) / 10]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
