// bun test/bench/vector-index.bench.ts [vectors] [dimension] [folder]: the index of many vectors (an inverted file), against
// all of them compared one by one. Needs 3.1 KB of disk for each vector of 512 numbers. Prints a line of JSON for each
// budget of vectors that are compared.
//
// The vectors are a mixture: 30 topics, 3000 clusters of very different size around them, a direction that all have in
// common, and noise of every direction, by which two pictures of a cluster have a cosine of 0.8. Noise without any
// structure is the hardest case: no list holds a part of a large cluster that is near. Queries are vectors of the same
// mixture ('picture'), and others far from all of them, with a cosine of 0.3 to the best, as those of texts are ('text').
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIndex } from '../../src/inference/vectors/index-build.ts';
import { type Kernel, openKernel } from '../../src/inference/vectors/kernel.ts';
import { openSidecar } from '../../src/inference/vectors/sidecar.ts';
import { round, spread } from './measure.ts';

const [vectors = 1_000_000, dimension = 512] = process.argv.slice(2, 4).map(Number);
const folder = mkdtempSync(join(process.argv[4] ?? '.cache', 'vector-index-'));
const [TOPICS, CLUSTERS, NOISE] = [30, 3000, 0.6];
const [QUERIES, K, BATCH, APPENDED] = [40, 100, 5000, 10_000];
const BUDGETS = [25_000, 50_000, 100_000, 200_000];

let state = 12_345;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
const draw = () => Float32Array.from({ length: dimension }, gauss);
/** A gauss for every number would take minutes: noise is drawn from a pool, at random places. */
const pool = Float32Array.from({ length: 1 << 22 }, gauss);
const [common, topics] = [draw(), Array.from({ length: TOPICS }, draw)];
const centres = Array.from({ length: CLUSTERS }, (_, cluster) => {
  const topic = topics[cluster % TOPICS]!;
  return common.map((value, n) => 0.7 * value + 0.6 * topic[n]! + 0.8 * gauss());
});

function generate(centre: Float32Array, noise: number, into: Float32Array): Float32Array {
  const from = Math.floor(random() * (pool.length - dimension));
  let square = 0;
  for (let n = 0; n < dimension; n++) {
    const value = centre[n]! + noise * pool[from + n]!;
    into[n] = value;
    square += value * value;
  }
  const by = 1 / Math.sqrt(square);
  for (let n = 0; n < dimension; n++) into[n]! *= by;
  return into;
}
/** A few clusters have most pictures. */
const choose = () => centres[Math.floor(random() ** 2 * CLUSTERS)]!;

function* generateRows(from: number, to: number) {
  const row = new Float32Array(dimension);
  for (let start = from; start < to; start += BATCH) {
    const count = Math.min(BATCH, to - start);
    const halves = new Float16Array(count * dimension);
    for (let at = 0; at < count; at++) halves.set(generate(choose(), NOISE, row), at * dimension);
    const bytes = new Uint8Array(halves.buffer);
    yield Array.from({ length: count }, (_, at) => {
      const offset = at * dimension * 2;
      return { slot: start + at, vector: bytes.subarray(offset, offset + dimension * 2) };
    });
  }
}

const kernel: Kernel = await openKernel();
const { lists } = kernel;
if (!lists) throw new Error('There is no compiled kernel for this processor');
const sidecar = openSidecar(folder, { dimension, kernel, identity: 'bench' });
const options = { kernel, lists, dimension: sidecar.rows().dimension };

const seconds = (from: number) => round((performance.now() - from) / 1000);
function readMemory() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const read = (name: string) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))?.[1]) >> 10;
  return { ownMiB: read('RssAnon'), mappedMiB: read('RssFile') };
}

async function write(from: number, to: number, put?: (from: number, to: number) => void) {
  await sidecar.update(async (sync) => {
    sync.grow(to);
    for (const rows of generateRows(from, to)) {
      sync.write(rows);
      put?.(rows[0]!.slot, rows[0]!.slot + rows.length);
    }
    return 1n;
  });
}

try {
  const started = performance.now();
  await write(0, vectors);
  const generateS = seconds(started);
  const building = performance.now();
  const cpu = process.cpuUsage();
  const built = await buildIndex(folder, sidecar, options, async () => {});
  const used = process.cpuUsage(cpu);
  const index = built!.file;
  console.log(
    JSON.stringify({
      vectors,
      dimension,
      kernel: kernel.name,
      generateS,
      buildS: seconds(building),
      buildCpuS: round((used.user + used.system) / 1e6),
      ...readMemory(),
    }),
  );
  const kinds = { picture: () => generate(choose(), NOISE, new Float32Array(dimension)), text };
  for (const [kind, make] of Object.entries(kinds)) {
    const queries = Array.from({ length: QUERIES }, make);
    const all = measure(queries, (query) => rankAll(query, K));
    const exact = queries.map((query) => rankAll(query, 4 * K).slice(0, K));
    console.log(JSON.stringify({ kind, all: all.time, best: round(exact[0]![0]!.score) }));
    for (const budget of BUDGETS.filter((most) => most < vectors)) {
      const rank = (query: Float32Array) =>
        index.rank(sidecar.rows(), query, { k: K, budget }) ?? [];
      const { found, time } = measure(queries, rank);
      const shares = found.map((hits, at) => {
        const true100 = new Set(exact[at]!.map(({ slot }) => slot));
        return hits.filter(({ slot }) => true100.has(slot)).length / K;
      });
      const recall = round(shares.reduce((sum, share) => sum + share, 0) / shares.length, 4);
      console.log(JSON.stringify({ kind, budget, recall, worst: Math.min(...shares), ...time }));
    }
  }
  const appending = performance.now();
  await write(vectors, vectors + APPENDED);
  const written = performance.now();
  await write(vectors, vectors + APPENDED, (from, to) => index.put(sidecar.rows(), from, to));
  const microseconds = (ms: number) => round((ms * 1000) / APPENDED);
  console.log(
    JSON.stringify({
      writeUs: microseconds(written - appending),
      writeAndPutUs: microseconds(performance.now() - written),
      ...readMemory(),
    }),
  );
} finally {
  rmSync(folder, { recursive: true });
}

function rankAll(query: Float32Array, k: number) {
  const total = sidecar.count();
  return kernel.rank(sidecar.rows(), { queries: [query], slots: undefined, total, k })[0] ?? [];
}

/** A vector to which those of a cluster are the nearest, though none is near. */
function text(): Float32Array {
  const centre = choose();
  const meaning = centre.map((value, n) => value - 0.7 * common[n]!);
  return generate(meaning, 2.2, new Float32Array(dimension));
}

function measure<T>(queries: readonly Float32Array[], work: (query: Float32Array) => T) {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const found = queries.map((query) => {
    const from = performance.now();
    const result = work(query);
    times.push(performance.now() - from);
    return result;
  });
  const { user, system } = process.cpuUsage(cpu);
  return {
    found,
    time: { ...spread(times), cpuMs: round((user + system) / 1000 / queries.length) },
  };
}
