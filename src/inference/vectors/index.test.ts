import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSeededRandom } from '../../../test/support/effort.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/harness.ts';
import { until } from '../../../test/support/until.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { getAddress } from '../../db/address.ts';
import { type Kernel, openKernel } from './kernel.ts';
import { deleteEmbeddings, saveEmbeddings } from './store.ts';
import { openSyncedVectors, type SyncedVectors } from './synced-vectors.ts';
import type { VectorIndex } from './types.ts';
import { openVectorIndex } from './vectors.ts';

const DIMENSION = 64;
const COUNT = 4000;
const CLUSTERS = 60;
const noPause = async () => {};

let database: TestDatabase;
let kernel: Kernel;
beforeAll(async () => {
  [database, kernel] = [await testDatabase(), await openKernel()];
});
afterAll(() => database.close());

const random = createSeededRandom('vectors');
const normalize = (vector: Float32Array) => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};
const draw = () => Float32Array.from({ length: DIMENSION }, () => random.below(2001) / 1000 - 1);
const centres = Array.from({ length: CLUSTERS }, draw);
/** In half precision, as it is stored. */
const near = (cluster: number): Float32Array => {
  const noise = draw();
  const vector = centres[cluster % CLUSTERS]!.map((value, at) => value + 0.5 * noise[at]!);
  return Float32Array.from(Float16Array.from(normalize(vector)));
};

type Row = { readonly kind: 'face'; readonly subjectId: string; readonly vector: Float32Array };
const save = (modelId: string, rows: readonly Row[]) =>
  database.db.transaction((tx) => saveEmbeddings(tx, modelId, rows));
const toRow = (vector: Float32Array): Row => ({ kind: 'face', subjectId: randomUUID(), vector });

async function fill(modelId: string, count = COUNT): Promise<Row[]> {
  const rows = Array.from({ length: count }, (_, at) => toRow(near(at)));
  await save(modelId, rows);
  return rows;
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, at) => sum + x * b[at]!, 0);
const rankExactly = (rows: readonly Row[], query: Float32Array, k: number) =>
  rows
    .map(({ subjectId, vector }) => ({ subjectId, score: dot(vector, query) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, k)
    .map(({ subjectId }) => subjectId);

async function listSubjects(modelId: string): Promise<ReadonlyMap<number, string>> {
  const rows = await database.sql<{ slot: number; subject_id: string }[]>`
    select slot, subject_id from embedding
    where model = (select id from embedding_model where model_id = ${modelId})`;
  return new Map(rows.map((row) => [row.slot, row.subject_id]));
}

/** The folder of a model's files, in that of this machine or another one. */
async function getFolder(modelId: string, folder = database.deps.paths.vectors): Promise<string> {
  const [model] = await database.sql<{ stamp: string }[]>`
    select stamp from embedding_model where model_id = ${modelId}`;
  const [found] = new Bun.Glob(`**/${model!.stamp}`).scanSync({ cwd: folder, onlyFiles: false });
  return join(folder, found!);
}

const listIndexes = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('ivf-'));
const readGeneration = async (folder: string): Promise<number> =>
  new DataView(await Bun.file(join(folder, 'head')).arrayBuffer()).getUint32(32, true);

const toEffort = (vectors: number) => ({ least: vectors, patience: 1, most: vectors });
const opened: VectorIndex[] = [];
afterAll(() => Promise.all(opened.map((index) => index.close())));

/** Opens an index of which all but small models have an inverted file, and waits until it is in service. */
async function openIndexed(modelId: string, budget = 800): Promise<VectorIndex> {
  const index = openVectorIndex(database.deps, {
    freshMs: 0,
    limits: { exactUpTo: 1000, effort: toEffort(budget) },
  });
  opened.push(index);
  await index.refresh(modelId);
  const folder = await getFolder(modelId);
  await until(async () => (await readGeneration(folder)) !== 0);
  return index;
}

/** Until no transaction is open that began before a vector was stored, in any database of the server: others read it again. */
const untilSettled = () =>
  until(async () => {
    const [open] = await database.sql`
      select 1 from embedding where xid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`;
    return open === undefined;
  });

/** Opens the files of a model of this process alone. */
async function openFiles(modelId: string, recountMs?: number): Promise<SyncedVectors> {
  const folder = join(database.deps.paths.vectors, randomUUID());
  const files = await openSyncedVectors(database.sql, modelId, folder, kernel, recountMs);
  await files!.sync();
  return files!;
}

function find(files: SyncedVectors, query: Float32Array, k: number, budget = COUNT) {
  const padded = new Float32Array(files.sidecar.rows().dimension);
  padded.set(query);
  const hits =
    files.findIndex()?.rank(files.sidecar.rows(), padded, { k, effort: toEffort(budget) }) ?? [];
  return hits.map(({ slot }) => slot);
}

describe('inverted file', () => {
  test('up to the limit, all vectors are compared and no index is built', async () => {
    const rows = await fill('few', 1000);
    const index = openVectorIndex(database.deps, {
      freshMs: 0,
      limits: { exactUpTo: 1000, effort: toEffort(100) },
    });
    opened.push(index);
    const subjects = await listSubjects('few');
    for (let round = 0; round < 5; round++) {
      const query = near(round);
      const hits = await index.nearest('few', query, { k: 20 });
      const found = hits.map(({ slot }) => subjects.get(slot)!);
      expect(found.toSorted()).toEqual(rankExactly(rows, query, 20).toSorted());
    }
    expect(listIndexes(await getFolder('few'))).toEqual([]);
  });

  for (const [name, level] of [
    ['x64', 2],
    ['AVX2', 3],
  ] as const) {
    skipWithout(name).test(`instructions of ${name} find the same as the newest`, async () => {
      const modelId = `level ${level}`;
      const rows = await fill(modelId, 1500);
      const older = await openKernel(level);
      const folder = join(database.deps.paths.vectors, randomUUID());
      const files = await openSyncedVectors(database.sql, modelId, folder, older);
      await files!.sync();
      await files!.buildIndex(noPause);
      await files!.sync();
      const subjects = await listSubjects(modelId);
      for (const query of [near(1), near(2), near(3)]) {
        const found = find(files!, query, 20).map((slot) => subjects.get(slot)!);
        expect(found.toSorted()).toEqual(rankExactly(rows, query, 20).toSorted());
      }
    });
  }

  test('follows the database: a new vector and a changed one are found once, where they are now', async () => {
    const rows = await fill('followed');
    const index = await openIndexed('followed');
    const query = near(3);
    const [added, changed] = [toRow(query), { ...rows[0]!, vector: query }];
    await save('followed', [added, changed]);
    const subjects = await listSubjects('followed');
    const best = async () =>
      (await index.nearest('followed', query, { k: 20 })).map(({ slot }) => subjects.get(slot)!);
    const found = await best();
    expect(found.slice(0, 2).toSorted()).toEqual([added.subjectId, changed.subjectId].toSorted());
    expect(new Set(found).size).toBe(20);
    // Where it was before, it is not found any more.
    const before = await index.nearest('followed', rows[0]!.vector, { k: 20 });
    expect(before.map(({ slot }) => subjects.get(slot))).not.toContain(changed.subjectId);
  });

  test('only allowed slots are returned, however low they rank, and candidates are compared exactly', async () => {
    const rows = await fill('allowed');
    const index = await openIndexed('allowed', 1500);
    const subjects = await listSubjects('allowed');
    const slots = new Map([...subjects].map(([slot, id]) => [id, slot]));
    const query = near(5);
    const last = rankExactly(rows, query, COUNT).at(-1)!;
    const keep = async (asked: readonly number[]) =>
      new Map(asked.flatMap((slot) => (subjects.get(slot) === last ? [[slot, last]] : [])));
    const found = await index.nearestAllowed('allowed', query, { k: 3, keep });
    expect(found.map(({ subjectId }) => subjectId)).toEqual([last]);

    const half = rows.filter((_, at) => at % 2 === 0);
    const own = new Set(half.map(({ subjectId }) => subjectId));
    const keepOwn = async (asked: readonly number[]) =>
      new Map(
        [...asked].flatMap((slot) =>
          own.has(subjects.get(slot)!) ? [[slot, subjects.get(slot)!]] : [],
        ),
      );
    const ofOwner = await index.nearestAllowed('allowed', query, { k: 30, keep: keepOwn });
    const nearest = new Set(rankExactly(half, query, 30));
    expect(ofOwner.filter(({ subjectId }) => !own.has(subjectId))).toEqual([]);
    expect(ofOwner.filter(({ subjectId }) => nearest.has(subjectId)).length).toBeGreaterThan(28);

    const candidates = Buffer.alloc(half.length * 4);
    for (const [at, row] of half.entries())
      candidates.writeInt32BE(slots.get(row.subjectId)!, at * 4);
    const hits = await index.nearest('allowed', query, { candidates, k: 30 });
    const ids = hits.map(({ slot }) => subjects.get(slot)!);
    expect(ids.toSorted()).toEqual(rankExactly(half, query, 30).toSorted());
  });

  test('no longer returns deleted vectors after a recount', async () => {
    const rows = await fill('deleted', 2000);
    const files = await openFiles('deleted', 0);
    await files.buildIndex(noPause);
    await files.sync();
    const { vector } = rows[7]!;
    const [slot] = find(files, vector, 1);
    const gone = rows.slice(0, 100).map(({ subjectId }) => subjectId);
    await deleteEmbeddings(database.db, gone, 'deleted');
    await files.sync();
    const left = await listSubjects('deleted');
    expect(find(files, vector, 1900)).toHaveLength(1900);
    expect(find(files, vector, 1900).filter((at) => !left.has(at))).toEqual([]);
    expect(files.sidecar.rows().scales[slot!]).toBe(0);
    expect(files.sidecar.rows().scales.filter((scale) => scale !== 0)).toHaveLength(1900);
  });

  test('a recount reads all anew when vectors are missing, and not for those that were added since', async () => {
    const rows = await fill('recounted', 2000);
    const files = await openFiles('recounted', 0);
    await files.buildIndex(noPause);
    await files.sync();
    await fill('recounted', 50);
    await untilSettled();
    await files.sync();
    expect(files.findIndex()).toBeDefined();
    const { scales } = files.sidecar.rows();
    scales[scales.findIndex((scale) => scale !== 0)] = 0;
    await files.sync();
    expect(files.findIndex()).toBeUndefined();
    const present = files.sidecar.rows().scales.filter((scale) => scale !== 0);
    expect(present).toHaveLength(rows.length + 50);
  });

  test('what changes while it is built is found', async () => {
    const rows = await fill('meanwhile', 2000);
    const files = await openFiles('meanwhile');
    const query = near(7);
    const added = toRow(query);
    let steps = 0;
    await files.buildIndex(async () => {
      steps += 1;
      if (steps !== 10) return;
      await save('meanwhile', [added, { ...rows[1]!, vector: query }]);
      // Another sync of this process sees the change first.
      await files.sync();
    });
    expect(steps).toBeGreaterThan(10);
    await files.sync();
    const subjects = await listSubjects('meanwhile');
    const found = find(files, query, 20).map((slot) => subjects.get(slot)!);
    expect(found.slice(0, 2).toSorted()).toEqual([added.subjectId, rows[1]!.subjectId].toSorted());
    expect(new Set(found).size).toBe(20);
  });

  test('one process builds at a time, and the old index is in service until the new one is complete', async () => {
    await fill('outgrown', 2000);
    const files = await openFiles('outgrown');
    await files.buildIndex(noPause);
    await files.sync();
    const old = files.findIndex()!;
    expect(old.isOutgrown()).toBe(false);
    let more: Row[] = [];
    // More than twice as many, unless a transaction of another test had the first ones put twice.
    for (let times = 0; times < 3 && !old.isOutgrown(); times++) {
      more = await fill('outgrown', 4000);
      await files.sync();
    }
    expect(old.isOutgrown()).toBe(true);
    const subjects = await listSubjects('outgrown');
    const newest = more.at(-1)!;
    const seen: unknown[] = [];
    const other = await openSyncedVectors(
      database.sql,
      'outgrown',
      join(await getFolder('outgrown'), '..'),
      kernel,
    );
    await files.buildIndex(async () => {
      if (seen.length > 5) return;
      seen.push(subjects.get(find(files, newest.vector, 1)[0]!));
      expect(await other!.buildIndex(noPause)).toBe(false);
    });
    expect(seen.length).toBeGreaterThan(5);
    expect(new Set(seen)).toEqual(new Set([newest.subjectId]));
    await files.sync();
    expect(files.findIndex()).not.toBe(old);
    expect(files.findIndex()!.isOutgrown()).toBe(false);
    expect(listIndexes(await getFolder('outgrown'))).toHaveLength(1);
    expect(subjects.get(find(files, newest.vector, 1)[0]!)).toBe(newest.subjectId);
  });

  test('a process that dies while it builds leaves all vectors to be found, and the next one builds', async () => {
    const rows = await fill('killed');
    const script = join(import.meta.dir, '../../../test/support/vector-index-child.ts');
    const folder = database.deps.paths.vectors;
    const child = Bun.spawn(
      [process.execPath, script, getAddress(database.sql), 'killed', folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const { value } = await child.stdout.getReader().read();
    expect(Buffer.from(value!).toString()).toBe('in the middle\n');
    child.kill('SIGKILL');
    await child.exited;
    const half = join(folder, 'killed-child', (await getFolder('killed')).split('/').at(-1)!);
    expect(listIndexes(half)).toHaveLength(1);
    expect(await readGeneration(half)).toBe(0);

    const files = await openSyncedVectors(
      database.sql,
      'killed',
      join(folder, 'killed-child'),
      kernel,
    );
    await files!.sync();
    expect(files!.sidecar.count()).toBe(COUNT);
    expect(files!.findIndex()).toBeUndefined();
    expect(await files!.buildIndex(noPause)).toBe(true);
    await files!.sync();
    expect(listIndexes(half)).toEqual([`ivf-${await readGeneration(half)}`]);
    const subjects = await listSubjects('killed');
    for (const { subjectId, vector } of rows.slice(0, 50))
      expect(subjects.get(find(files!, vector, 1)[0]!)).toBe(subjectId);
  });

  test('an interrupted update ends its service; all is read anew and it is built again', async () => {
    const [row] = await fill('interrupted', 2000);
    const index = await openIndexed('interrupted');
    const folder = await getFolder('interrupted');
    const before = await readGeneration(folder);
    const head = Bun.mmap(join(folder, 'head'), { shared: true });
    // Not clean: its writer died.
    new DataView(head.buffer, head.byteOffset).setUint32(4, 0, true);
    const [hit] = await index.nearest('interrupted', row!.vector, { k: 1 });
    expect((await listSubjects('interrupted')).get(hit!.slot)).toBe(row!.subjectId);
    await until(async () => ![0, before].includes(await readGeneration(folder)));
    const [again] = await index.nearest('interrupted', row!.vector, { k: 1 });
    expect(again!.slot).toBe(hit!.slot);
  });
});
