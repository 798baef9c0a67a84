// bun test/bench/vector-index.bench.ts [vectors] [queries] [folder]: searches of very many vectors of 512 numbers (test/support/embedding-source.ts
// says how they are made), as they are served, against the exact result: without a filter, and with candidates of a share of
// all vectors. Prints a line of JSON each, with CPU time of one core, and the recall of the nearest hundred. Needs 2.3 KB of
// disk for each vector, and as much memory for the measured times. Files in a folder that is given are kept and used again.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIndex, getIndexFolder } from '../../src/inference/vectors/index-build.ts';
import { openInvertedFile } from '../../src/inference/vectors/inverted-file.ts';
import { type Kernel, openKernel } from '../../src/inference/vectors/kernel.ts';
import { RANK_LIMITS, rankVectors } from '../../src/inference/vectors/ranking.ts';
import { openSidecar } from '../../src/inference/vectors/sidecar.ts';
import type { Hit } from '../../src/inference/vectors/types.ts';
import { createEmbeddingSource } from '../support/embedding-source.ts';
import { quantile, round } from './measure.ts';

const [vectors = 2_000_000, queryCount = 100] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4] ?? mkdtempSync(join('.cache', 'vector-index-'));
mkdirSync(folder, { recursive: true });
const [DIMENSION, K, BATCH, APPENDED, EXACT_QUERIES] = [512, 100, 5000, 10_000, 5];
/** Vectors without a better one after which a search ends. */
const PATIENCE = [12_000, 25_000, 50_000];
const SHARES = [0.001, 0.01, 0.1, 0.5];

const kernel: Kernel = await openKernel();
const { lists } = kernel;
if (!lists) throw new Error('There is no compiled kernel for this processor');
const sidecar = openSidecar(folder, { dimension: DIMENSION, kernel, identity: 'bench' });
const source = createEmbeddingSource(DIMENSION);
const clustersFile = join(folder, 'clusters');

const readCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const cpuSecondsSince = (from: number) => round((readCpuMs() - from) / 1000);
function readMemory() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const read = (name: string) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))?.[1]) >> 10;
  return { ownMiB: read('RssAnon'), mappedMiB: read('RssFile') };
}

/** Writes vectors into the slots `from` to `to`; returns the cluster of each. */
async function write(
  from: number,
  to: number,
  put?: (from: number, to: number) => void,
): Promise<Uint16Array> {
  const clusters = new Uint16Array(to - from);
  const row = new Float32Array(DIMENSION);
  await sidecar.update(async (sync) => {
    sync.grow(to);
    for (let start = from; start < to; start += BATCH) {
      const count = Math.min(BATCH, to - start);
      const halves = new Float16Array(count * DIMENSION);
      for (let at = 0; at < count; at++) {
        clusters[start + at - from] = source.drawStored(row);
        halves.set(row, at * DIMENSION);
      }
      const bytes = new Uint8Array(halves.buffer);
      const width = DIMENSION * 2;
      const toRow = (_: unknown, at: number) => ({
        slot: start + at,
        vector: bytes.subarray(at * width, (at + 1) * width),
      });
      sync.write(Array.from({ length: count }, toRow));
      put?.(start, start + count);
    }
    return 1n;
  });
  return clusters;
}

/** CPU time per query, in ms. */
const toTimes = (times: readonly number[]) => ({
  cpuP50Ms: quantile(times, 0.5),
  cpuP95Ms: quantile(times, 0.95),
});
const rankExactly = (queries: readonly Float32Array[], slots: Uint32Array | undefined, k: number) =>
  kernel.rank(sidecar.rows(), {
    queries,
    slots,
    total: slots?.length ?? sidecar.count(),
    k,
  });

async function compare(
  queries: readonly Float32Array[],
  exact: readonly (readonly Hit[])[],
  rank: (query: Float32Array) => Promise<readonly Hit[]>,
) {
  const times: number[] = [];
  const shares: number[] = [];
  for (const [at, query] of queries.entries()) {
    const from = readCpuMs();
    const hits = await rank(query);
    times.push(readCpuMs() - from);
    const nearest = new Set(exact[at]!.map(({ slot }) => slot));
    shares.push(hits.filter(({ slot }) => nearest.has(slot)).length / nearest.size);
  }
  const recall = round(shares.reduce((sum, share) => sum + share, 0) / shares.length, 4);
  return { recall, worst: Math.min(...shares), ...toTimes(times) };
}

const select = (isChosen: (slot: number) => boolean): Uint32Array => {
  const chosen = new Uint32Array(vectors);
  let count = 0;
  for (let slot = 0; slot < vectors; slot++) if (isChosen(slot)) chosen[count++] = slot;
  return chosen.slice(0, count);
};
const pack = (slots: Uint32Array): Uint8Array => Buffer.from(slots.slice().buffer).swap32();

function* listFilters(clusters: Uint16Array): Generator<[string, Uint32Array | undefined]> {
  yield ['none', undefined];
  for (const share of SHARES)
    yield [`${share * 100} % at random`, select(() => source.random() < share)];
  // An account whose pictures are mostly far from the query.
  yield ['10 % of the clusters', select((slot) => clusters[slot]! % 10 === 3)];
}

async function measure(clusters: Uint16Array): Promise<void> {
  const model = { sidecar, findIndex: () => index };
  const draw = (make: () => Float32Array) => Array.from({ length: queryCount }, make);
  const kinds = { picture: draw(source.drawPicture), text: draw(source.drawText) };
  for (const [filter, slots] of listFilters(clusters)) {
    const packed = slots && pack(slots);
    for (const [kind, queries] of Object.entries(kinds)) {
      const times = queries.slice(0, EXACT_QUERIES).map((query) => {
        const from = readCpuMs();
        rankExactly([query], slots, K);
        return readCpuMs() - from;
      });
      // By bytes alone, some of the nearest would be missed: four times as many are compared by halves.
      const from = readCpuMs();
      const exact = rankExactly(queries, slots, 4 * K).map((hits) => hits.slice(0, K));
      const exactManyCpuMs = round((readCpuMs() - from) / queries.length);
      const served = await compare(queries, exact, async (query) => {
        const call = { queries: [query], slots: packed, k: K };
        const [hits = []] = await rankVectors(kernel, RANK_LIMITS, model, call);
        return hits;
      });
      const exactly = { exactCpuMs: quantile(times, 0.5), exactManyCpuMs };
      const candidates = slots?.length ?? vectors;
      console.log(JSON.stringify({ filter, candidates, kind, ...exactly, served }));
      if (slots) continue;
      for (const patience of PATIENCE) {
        const effort = { ...RANK_LIMITS.effort, patience };
        const found = await compare(queries, exact, async (query) => {
          return index.rank(sidecar.rows(), query, { k: K, effort }) ?? [];
        });
        console.log(JSON.stringify({ kind, patience, ...found }));
      }
    }
  }
}

const generating = readCpuMs();
if (!existsSync(clustersFile)) await Bun.write(clustersFile, await write(0, vectors));
const generateCpuS = cpuSecondsSince(generating);
const building = readCpuMs();
const options = { kernel, lists, dimension: DIMENSION };
if (sidecar.generation() === 0) {
  const built = await buildIndex(folder, sidecar, options, async () => {});
  if (!built) throw new Error(`Another process builds an index in ${folder}`);
  built.file.complete();
  built.file.close();
  built.release();
  await sidecar.update(async (sync) => {
    sync.publish(built.generation);
    return 1n;
  });
}
const index = openInvertedFile(getIndexFolder(folder, sidecar.generation()), options);
try {
  const buildCpuS = cpuSecondsSince(building);
  const { stdout } = Bun.spawnSync(['du', '-sm', folder]);
  const diskMiB = Number.parseInt(stdout.toString(), 10);
  const about = { vectors, kernel: kernel.name, generateCpuS, buildCpuS, diskMiB };
  console.log(JSON.stringify({ ...about, ...readMemory() }));
  await measure(new Uint16Array(await Bun.file(clustersFile).arrayBuffer()));
  const appending = readCpuMs();
  await write(vectors, vectors + APPENDED);
  const putting = readCpuMs();
  await write(vectors, vectors + APPENDED, (from, to) => index.put(sidecar.rows(), from, to));
  const microseconds = (ms: number) => round((ms * 1000) / APPENDED);
  const writeUs = microseconds(putting - appending);
  const writeAndPutUs = microseconds(readCpuMs() - putting);
  console.log(JSON.stringify({ writeUs, writeAndPutUs, ...readMemory() }));
} finally {
  if (!process.argv[4]) rmSync(folder, { recursive: true });
}
