import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { sql } from 'drizzle-orm';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seed, type TestDatabase, testDatabase } from '../../../test/support/harness.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { type Kernel, openKernel } from './kernel.ts';
import { toMemory } from './mapped-memory.ts';
import { plainKernel } from './plain-kernel.ts';
import { deleteEmbeddings, readEmbeddings, saveEmbeddings } from './store.ts';
import type { VectorIndex } from './types.ts';
import { openVectorIndex } from './vectors.ts';
import { queryRows } from '../../db/query.ts';

let database: TestDatabase;
let vectors: VectorIndex;
beforeAll(async () => {
  database = await testDatabase();
  vectors = openVectorIndex(database.deps, { freshMs: 0 });
});
afterAll(async () => {
  await vectors.close();
  await database.close();
});

/** Unit length, the same for the same seed. */
function randomVector(dimension: number, start: number): Float32Array {
  let state = start * 2654435761;
  const vector = Float32Array.from({ length: dimension }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, at) => sum + x * b[at]!, 0);

const packed = (slots: readonly number[]) => {
  const bytes = Buffer.alloc(slots.length * 4);
  for (const [at, slot] of slots.entries()) bytes.writeInt32BE(slot, at * 4);
  return bytes;
};

async function fill(modelId: string, count: number, dimension: number) {
  const rows = Array.from({ length: count }, (_, at) => ({
    kind: 'face' as const,
    subjectId: randomUUID(),
    vector: randomVector(dimension, at + 1),
  }));
  await database.db.transaction((tx) => saveEmbeddings(tx, modelId, rows));
  return rows;
}

describe('ranking', () => {
  const DIMENSION = 200;
  const slots = () => database.sql<{ subject_id: string; slot: number }[]>`
    select subject_id, slot from embedding
    where model = (select id from embedding_model where model_id = 'rank') order by slot`;

  let rows: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    rows = await fill('rank', 3000, DIMENSION);
  });

  test('the ranking equals exact arithmetic', async () => {
    const query = randomVector(DIMENSION, 99_999);
    const expected = rows
      .map(({ subjectId, vector }) => ({ subjectId, score: dot(vector, query) }))
      .toSorted((a, b) => b.score - a.score);
    const hits = await vectors.nearest('rank', query, { k: 20 });
    const names = new Map((await slots()).map((row) => [row.slot, row.subject_id]));
    expect(hits.map(({ slot }) => names.get(slot))).toEqual(
      expected.slice(0, 20).map(({ subjectId }) => subjectId),
    );
    for (const [at, { score }] of hits.entries()) {
      expect(score).toBeCloseTo(expected[at]!.score, 2);
    }
  });

  test('returns candidates only', async () => {
    const query = randomVector(DIMENSION, 7);
    const some = [5, 6, 900, 2999, 123_456];
    const hits = await vectors.nearest('rank', query, { candidates: packed(some), k: 10 });
    expect(hits.map(({ slot }) => slot).toSorted((a, b) => a - b)).toEqual([5, 6, 900, 2999]);
    expect(await vectors.nearest('rank', query, { candidates: packed([]), k: 10 })).toEqual([]);
  });

  test('only allowed slots are returned, however low they rank', async () => {
    const names = new Map((await slots()).map((row) => [row.slot, row.subject_id]));
    const query = randomVector(DIMENSION, 5);
    const all = await vectors.nearest('rank', query, { k: 3000 });
    const last = all.at(-1)!.slot;
    const found = await vectors.nearestAllowed('rank', query, {
      k: 3,
      keep: async (asked) =>
        new Map(asked.filter((slot) => slot === last).map((slot) => [slot, names.get(slot)!])),
    });
    expect(found.map(({ subjectId }) => subjectId)).toEqual([names.get(last)!]);
  });

  test('concurrent queries return the same as single ones', async () => {
    const queries = [1, 2, 3].map((n) => randomVector(DIMENSION, 1000 + n));
    const together = await vectors.nearestMany('rank', queries, { k: 7 });
    for (const [at, query] of queries.entries()) {
      expect(together[at]).toEqual(await vectors.nearest('rank', query, { k: 7 }));
    }
  });

  test('a model that was removed finds nothing; installed again, it finds what is new', async () => {
    const [old] = await fill('again', 3, DIMENSION);
    expect(await vectors.nearest('again', old!.vector, { k: 1 })).toHaveLength(1);
    await database.sql`delete from embedding_model where model_id = 'again'`;
    expect(await vectors.nearest('again', old!.vector, { k: 1 })).toEqual([]);
    await fill('again', 5, DIMENSION);
    expect(await vectors.nearest('again', old!.vector, { k: 9 })).toHaveLength(5);
  });

  test('a model without vectors finds nothing; a query of another length is refused', async () => {
    expect(await vectors.nearest('none', randomVector(8, 1), { k: 5 })).toEqual([]);
    const refusal = await vectors
      .nearest('rank', randomVector(8, 1), { k: 5 })
      .catch((error: Error) => error.message);
    expect(refusal).toBe('Query vectors of rank must have 200 dimensions');
  });
});

describe('following the database', () => {
  const best = async (modelId: string, query: Float32Array) => {
    const [hit] = await vectors.nearest(modelId, query, { k: 1 });
    return hit;
  };

  test('a changed vector keeps its slot, and the next query sees the change', async () => {
    const [row] = await fill('change', 1, 64);
    const before = await best('change', row!.vector);
    const vector = randomVector(64, 77);
    await database.db.transaction((tx) =>
      saveEmbeddings(tx, 'change', [{ kind: 'face', subjectId: row!.subjectId, vector }]),
    );
    const after = await best('change', vector);
    expect(after?.slot).toBe(before!.slot);
    expect(after?.score).toBeCloseTo(1, 2);
    const [stored] = await readEmbeddings(database.db, 'change', [row!.subjectId]);
    expect(dot(stored!.vector, vector)).toBeCloseTo(1, 2);
  });

  test('a transaction that commits after later ones is not missed', async () => {
    await fill('late', 1, 64);
    const [slow, fast] = [randomVector(64, 501), randomVector(64, 502)];
    const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    await database.sql`insert into embedding_model (model_id, dimension) values ('other', 4)`;
    const first = database.db.transaction(async (tx) => {
      // Its number is taken before the other one's; its row comes late.
      await queryRows(tx, sql`select pg_current_xact_id()`);
      isWritten();
      await end;
      await saveEmbeddings(tx, 'late', [{ kind: 'face', subjectId: randomUUID(), vector: slow }]);
    });
    await written;
    await database.db.transaction((tx) =>
      saveEmbeddings(tx, 'late', [{ kind: 'face', subjectId: randomUUID(), vector: fast }]),
    );
    expect((await best('late', fast))?.score).toBeCloseTo(1, 2);
    finish();
    await first;
    expect((await best('late', slow))?.score).toBeCloseTo(1, 2);
  });

  test('slots are never reused, nor shared by two writers', async () => {
    const first = await fill('slots', 10, 32);
    await deleteEmbeddings(database.db, [first[3]!.subjectId]);
    await Promise.all([fill('slots', 5, 32), fill('slots', 5, 32)]);
    const rows = await database.sql<{ slot: number }[]>`
      select slot from embedding
      where model = (select id from embedding_model where model_id = 'slots') order by slot`;
    const used = rows.map(({ slot }) => slot);
    expect(new Set(used).size).toBe(19);
    expect(Math.max(...used)).toBe(19);
  });

  test('vectors are deleted with their asset', async () => {
    const make = seed(database);
    const { id: ownerId } = await make.user();
    const assetId = await make.asset({ ownerId });
    await database.db.transaction((tx) =>
      saveEmbeddings(tx, 'gone', [
        { kind: 'asset', subjectId: assetId, vector: randomVector(32, 1) },
      ]),
    );
    await deleteForGood(database, [assetId]);
    expect(await readEmbeddings(database.db, 'gone', [assetId])).toEqual([]);
  });

  test('rebuilds files of another library and incomplete ones', async () => {
    const [row] = await fill('doubt', 50, 32);
    expect((await best('doubt', row!.vector))?.score).toBeCloseTo(1, 2);
    const [model] = await database.sql<{ stamp: string }[]>`
      select stamp from embedding_model where model_id = 'doubt'`;
    const folder = [
      ...new Bun.Glob(`*/${model!.stamp}`).scanSync({
        cwd: database.deps.paths.vectors,
        onlyFiles: false,
      }),
    ][0]!;
    const head = Bun.mmap(join(database.deps.paths.vectors, folder, 'head'), { shared: true });
    // Not clean: its writer died.
    new DataView(head.buffer, head.byteOffset).setUint32(4, 0, true);
    const scales = Bun.mmap(join(database.deps.paths.vectors, folder, 'scales'), { shared: true });
    scales.fill(0);
    expect((await best('doubt', row!.vector))?.score).toBeCloseTo(1, 2);
  });
});

describe('kernel', () => {
  const DIMENSION = 256;
  const ROWS = 1500;

  function rowsFor(kernel: Kernel) {
    const halves = new Uint16Array(ROWS * DIMENSION);
    const values = new Float16Array(halves.buffer);
    for (let row = 0; row < ROWS; row++)
      values.set(randomVector(DIMENSION, row + 1), row * DIMENSION);
    // One that was never written.
    values.fill(0, 10 * DIMENSION, 11 * DIMENSION);
    const rows = {
      dimension: DIMENSION,
      bytes: toMemory(new Uint8Array(ROWS * DIMENSION)),
      scales: new Float32Array(ROWS),
      halves: toMemory(halves),
    };
    kernel.quantise(rows, 0, ROWS);
    return rows;
  }

  for (const [name, level] of [
    ['x64', 2],
    ['AVX2', 3],
    ['AVX-512', 4],
  ] as const) {
    skipWithout(name).test(`instructions of ${name} rank as plain JavaScript does`, async () => {
      const kernel = await openKernel(level);
      expect(kernel.name).not.toBe('JavaScript');
      const queries = [randomVector(DIMENSION, 5000), randomVector(DIMENSION, 5001)];
      const slots = Uint32Array.from({ length: 700 }, (_, at) => at * 2);
      for (const among of [undefined, slots]) {
        const ranking = { queries, slots: among, total: among?.length ?? ROWS, k: 25 };
        const expected = plainKernel.rank(rowsFor(plainKernel), ranking);
        const found = kernel.rank(rowsFor(kernel), ranking);
        for (const [query, hits] of found.entries()) {
          expect(hits.map(({ slot }) => slot)).toEqual(expected[query]!.map(({ slot }) => slot));
          expect(hits.some(({ slot }) => slot === 10)).toBe(false);
        }
      }
    });
  }

  test('the compiled kernels were built from the current source', () => {
    const folder = join(import.meta.dir, '../../../native');
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, 'vectors.c')))
      .digest('hex');
    for (const target of ['linux-x64', 'linux-arm64']) {
      const built = readFileSync(join(folder, `vectors.${target}.so`));
      expect(built.includes(digest), target).toBe(true);
    }
  });
});
