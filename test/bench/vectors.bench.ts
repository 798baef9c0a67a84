// bun test/bench/vectors.bench.ts [vectors] [dimension]: ranking and following, against exact floats.
// On a database of the server in TEST_POSTGRES; prints JSON.
import { randomUUID } from 'node:crypto';
import { type Kernel, openKernel, type Rows } from '../../src/inference/vectors/kernel.ts';
import { toMemory } from '../../src/inference/vectors/mapped-memory.ts';
import { plainKernel } from '../../src/inference/vectors/plain-kernel.ts';
import { saveEmbeddings, toFloat16 } from '../../src/inference/vectors/store.ts';
import { openVectorIndex } from '../../src/inference/vectors/vectors.ts';
import { testDatabase } from '../support/harness.ts';
import { latency, spread, timed } from './measure.ts';

const [vectors = 1_000_000, dimension = 512] = process.argv.slice(2).map(Number);
const CLUSTERS = 3000;
const ROUNDS = 21;
const K = 10;

let state = 12_345;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return vector.map((value) => value / Math.sqrt(sum));
}

/** As embeddings are: in clusters, with much in common. */
const common = Float32Array.from({ length: dimension }, gauss);
const centres = Array.from({ length: CLUSTERS }, () =>
  common.map((value) => value * 0.7 + gauss()),
);
const near = (cluster: number) => unit(centres[cluster]!.map((value) => value + 0.6 * gauss()));

function fill(): { rows: Rows; exact: Float32Array } {
  const exact = new Float32Array(vectors * dimension);
  const halves = new Uint16Array(vectors * dimension);
  const values = new Float16Array(halves.buffer);
  // Gauss for every number would take minutes: noise is drawn from a pool, at random places.
  const pool = Float32Array.from({ length: 1 << 20 }, gauss);
  for (let row = 0; row < vectors; row++) {
    const centre = centres[Math.floor(random() ** 2 * CLUSTERS)]!;
    const from = Math.floor(random() * (pool.length - dimension));
    const at = row * dimension;
    let sum = 0;
    for (let n = 0; n < dimension; n++) {
      const value = centre[n]! + 0.6 * pool[from + n]!;
      exact[at + n] = value;
      sum += value * value;
    }
    const by = 1 / Math.sqrt(sum);
    for (let n = 0; n < dimension; n++) exact[at + n] = exact[at + n]! * by;
  }
  values.set(exact);
  const rows = {
    dimension,
    bytes: toMemory(new Uint8Array(vectors * dimension)),
    scales: new Float32Array(vectors),
    halves: toMemory(halves),
  };
  return { rows, exact };
}

/** The true ten best. */
function truth(
  exact: Float32Array,
  query: Float32Array,
  slots: Uint32Array | undefined,
): Set<number> {
  const best: { slot: number; score: number }[] = [];
  const total = slots?.length ?? vectors;
  for (let at = 0; at < total; at++) {
    const slot = slots ? slots[at]! : at;
    let score = 0;
    for (let n = 0; n < dimension; n++) score += exact[slot * dimension + n]! * query[n]!;
    if (best.length === K && score <= best[K - 1]!.score) continue;
    best.push({ slot, score });
    best.sort((a, b) => b.score - a.score);
    best.length = Math.min(best.length, K);
  }
  return new Set(best.map(({ slot }) => slot));
}

const FILTERS = { none: 1, half: 0.5, tenth: 0.1, hundredth: 0.01 } as const;

function measure(kernel: Kernel, rows: Rows, exact: Float32Array) {
  return Object.fromEntries(
    Object.entries(FILTERS).map(([name, share]) => {
      const slots =
        share === 1
          ? undefined
          : Uint32Array.from([...Array(vectors).keys()].filter(() => random() < share));
      const total = slots?.length ?? vectors;
      const times: number[] = [];
      let hits = 0;
      let asked = 0;
      const rounds = kernel === plainKernel ? 3 : ROUNDS;
      for (let round = 0; round < rounds; round++) {
        const query = near(Math.floor(random() * CLUSTERS));
        const from = performance.now();
        const [found] = kernel.rank(rows, { queries: [query], slots, total, k: K });
        times.push(performance.now() - from);
        if (round >= 5) continue;
        const expected = truth(exact, query, slots);
        hits += found!.filter(({ slot }) => expected.has(slot)).length;
        asked += expected.size;
      }
      return [name, { ...spread(times), recall: hits / asked }];
    }),
  );
}

const { rows, exact } = fill();
const started = performance.now();
(await openKernel()).quantise(rows, 0, vectors);
const results: Record<string, unknown> = {
  vectors,
  dimension,
  quantiseMs: Math.round(performance.now() - started),
};
for (const level of process.arch === 'x64' ? [4, 3, 2] : [1]) {
  const kernel = await openKernel(level);
  if ((await openKernel()).name === 'AVX-512' || level < 4) {
    results[kernel.name] = measure(kernel, rows, exact);
  }
}
if (vectors <= 200_000) results[plainKernel.name] = measure(plainKernel, rows, exact);

const database = await testDatabase();
const { db, sql } = database;
try {
  // A thousand different ones, many times: what they hold does not matter for the time.
  const some = Array.from({ length: 1000 }, (_, at) => ({
    kind: 'asset' as const,
    subjectId: randomUUID(),
    vector: near(at),
  }));
  await db.transaction((tx) => saveEmbeddings(tx, 'bench', some));
  await sql`
    insert into embedding (model, subject_id, kind, slot, vector)
    select model, gen_random_uuid(), kind, 1000 + (row_number() over ())::int - 1, vector
    from embedding, generate_series(1, ${Math.max(0, vectors / 1000 - 1)}::int)`;
  await sql`update embedding_model set slots = ${vectors}`;
  await sql`vacuum analyze embedding`;

  const index = openVectorIndex(database.deps, { freshMs: 1000 });
  const query = near(1);
  results['rebuildMs'] = await timed(() => index.refresh('bench'));
  results['refreshMs'] = await timed(() => index.refresh('bench'));
  const times = (work: () => Promise<unknown>) => latency(work, ROUNDS);
  results['nearestAll'] = await times(() => index.nearest('bench', query, { k: 100 }));
  for (const share of [2, 10, 100]) {
    const candidates = async () => {
      const [row] = await sql<{ slots: Uint8Array }[]>`
        select string_agg(int4send(slot), ''::bytea) as slots from embedding
        where model = 1 and slot % ${share} = 0`;
      return row!.slots;
    };
    results[`sqlOneOf${share}`] = await times(candidates);
    const packed = await candidates();
    results[`nearestOneOf${share}`] = await times(() =>
      index.nearest('bench', query, { candidates: packed, k: 100 }),
    );
  }
  await db.transaction((tx) =>
    saveEmbeddings(tx, 'bench', [{ kind: 'asset', subjectId: randomUUID(), vector: query }]),
  );
  results['followOneMs'] = await timed(() => index.refresh('bench'));
  results['float16BytesPerVector'] = toFloat16(query).length;
  await index.close();
} finally {
  await database.close();
}
console.log(JSON.stringify(results, undefined, 2));
