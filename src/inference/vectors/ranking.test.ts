import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddingSource } from '../../../test/support/embedding-source.ts';
import { mountDisk, unmount } from '../../../test/support/mounts.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { buildIndex, getIndexFolder } from './index-build.ts';
import { type InvertedFile, openInvertedFile } from './inverted-file.ts';
import { type Kernel, openKernel } from './kernel.ts';
import { type RankedModel, type RankLimits, rankVectors } from './ranking.ts';
import { openSidecar, type Sidecar } from './sidecar.ts';

const [DIMENSION, COUNT, K, QUERIES] = [128, 50_000, 50, 30];
const LIMITS: RankLimits = {
  exactUpTo: 1000,
  exactCandidates: 2000,
  effort: { least: 2000, patience: 4000, most: COUNT },
};
const LITTLE = { least: 100, patience: 1, most: 150 };

const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
const source = createEmbeddingSource(DIMENSION);
const clusters: number[] = [];
// Drawn first: tests run in any order.
const [pictures, texts] = [source.drawPicture, source.drawText].map((draw) =>
  Array.from({ length: QUERIES }, draw),
) as [Float32Array[], Float32Array[]];
let kernel: Kernel;
let sidecar: Sidecar;
let index: InvertedFile;
let model: RankedModel;

const openFolder = (where: string) =>
  openSidecar(where, { dimension: DIMENSION, kernel, identity: 'test' });
const toOptions = () => ({ kernel, lists: kernel.lists!, dimension: DIMENSION });

function drawRows(from: number, to: number) {
  const row = new Float32Array(DIMENSION);
  return Array.from({ length: to - from }, (_, at) => {
    clusters[from + at] = source.drawStored(row);
    return { slot: from + at, vector: new Uint8Array(Float16Array.from(row).buffer) };
  });
}

async function append(to: Sidecar, file: InvertedFile | undefined, from: number, end: number) {
  await to.update(async (state) => {
    state.grow(end);
    state.write(drawRows(from, end));
    file?.put(to.rows(), from, end);
    return 1n;
  });
}

beforeAll(async () => {
  kernel = await openKernel();
  sidecar = openFolder(folder);
  await append(sidecar, undefined, 0, COUNT);
  const built = await buildIndex(folder, sidecar, toOptions(), async () => {});
  index = built!.file;
  index.complete();
  await sidecar.update(async (state) => {
    state.publish(built!.generation);
    return 1n;
  });
  model = { sidecar, findIndex: () => index };
});
afterAll(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

const pack = (slots: readonly number[]): Uint8Array => {
  const bytes = Buffer.alloc(slots.length * 4);
  for (const [at, slot] of slots.entries()) bytes.writeInt32BE(slot, at * 4);
  return bytes;
};
const all = Array.from({ length: COUNT }, (_, slot) => slot);
const rankExactly = (queries: readonly Float32Array[], slots: readonly number[], k: number) =>
  kernel
    .rank(sidecar.rows(), {
      queries,
      slots: Uint32Array.from(slots),
      total: slots.length,
      k: 4 * k,
    })
    .map((hits) => hits.slice(0, k).map(({ slot }) => slot));

async function rank(
  queries: readonly Float32Array[],
  { slots, k = K, ...limits }: Partial<RankLimits> & { slots?: readonly number[]; k?: number },
) {
  const call = { queries, slots: slots && pack(slots), k };
  const found = await rankVectors(kernel, { ...LIMITS, ...limits }, model, call);
  return found.map((hits) => hits.map(({ slot }) => slot));
}

const share = (found: readonly (readonly number[])[], exact: readonly (readonly number[])[]) => {
  const kept = exact.flatMap((slots, at) => slots.filter((slot) => found[at]!.includes(slot)));
  return kept.length / exact.flat().length;
};

describe('an inverted file finds at least 98 of 100 of the nearest', () => {
  const filters: Record<string, (slot: number) => boolean> = {
    all: () => true,
    'half of them': (slot) => slot % 2 === 0,
    'a tenth of them': (slot) => (slot * 7919) % 10_007 < 1000,
    'those of some clusters': (slot) => clusters[slot]! % 10 === 3,
  };
  test.each(
    Object.keys(filters).flatMap((filter) => [
      [filter, 'picture'],
      [filter, 'text'],
    ]),
  )('of %s, for a query by %s', async (filter, kind) => {
    const queries = kind === 'text' ? texts : pictures;
    const chosen = all.filter(filters[filter]!);
    const slots = filter === 'all' ? undefined : chosen;
    const exact = rankExactly(queries, chosen, K);
    const found = await rank(queries, { ...(slots && { slots }) });
    expect(share(found, exact)).toBeGreaterThanOrEqual(0.98);
    const allowed = new Set(chosen);
    expect(found.flat().filter((slot) => !allowed.has(slot))).toEqual([]);
    // With less effort it must miss some: else it would compare all.
    const fewer = await rank(queries, { ...(slots && { slots }), effort: LITTLE });
    expect(share(fewer, exact)).toBeLessThan(0.98);
  });
});

describe('candidates of an inverted file', () => {
  test('few are compared one by one', async () => {
    const slots = all.filter((slot) => slot % 40 === 0);
    const queries = [...texts.slice(0, 2), ...pictures.slice(0, 2)];
    expect(await rank(queries, { slots, effort: LITTLE })).toEqual(rankExactly(queries, slots, K));
  });

  test('are all found where fewer than asked for are near, though some do not exist', async () => {
    const there = all.filter((slot) => slot % 1250 === 0);
    const missing = Array.from({ length: 3000 }, (_, at) => COUNT + at);
    const slots = [...missing, ...there];
    const [found] = await rank(pictures.slice(0, 1), { slots, effort: LITTLE });
    expect(found!.toSorted((a, b) => a - b)).toEqual(there);
  });
});

describe('another process that writes', () => {
  test('does not hide what is there', async () => {
    const other = openFolder(folder);
    const queries = pictures.slice(0, 1);
    const before = await rank(queries, {});
    const { promise, resolve } = Promise.withResolvers<void>();
    const writing = other.update(async (state) => {
      state.write([]);
      await promise;
      return 2n;
    });
    try {
      expect(sidecar.count()).toBe(COUNT);
      expect(sidecar.generation()).not.toBe(0);
      expect(await rank(queries, {})).toEqual(before);
    } finally {
      resolve();
      await writing;
    }
  });

  test('may grow the files: what is beyond the mapping of this process is left out', async () => {
    const own = mkdtempSync(join(tmpdir(), 'vectors-'));
    const [mine, other] = [openFolder(own), openFolder(own)];
    await append(mine, undefined, 0, 2000);
    const built = await buildIndex(own, mine, toOptions(), async () => {});
    const file = openInvertedFile(getIndexFolder(own, built!.generation), toOptions());
    const rows = mine.rows();
    await append(other, file, 2000, 6000);
    const query = pictures[0]!;
    const limits = { k: 20, effort: { least: 6000, patience: 1, most: 6000 } };
    const found = built!.file.rank(rows, query, limits);
    expect(found!.filter(({ slot }) => slot >= rows.scales.length)).toEqual([]);
    const now = built!.file.rank(mine.rows(), query, limits);
    expect(now!.filter(({ slot }) => slot >= rows.scales.length).length).toBeGreaterThan(5);
    for (const opened of [file, built!.file]) opened.close();
    built!.release();
    rmSync(own, { recursive: true });
  });
});

skipWithout('tmpfs').test('a full disk fails an update, and the process lives', async () => {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  mountDisk(disk, 4 * 1024 ** 2);
  try {
    const small = openFolder(disk);
    await append(small, undefined, 0, 1000);
    await expect(append(small, undefined, 1000, 50_000)).rejects.toThrow('ENOSPC');
    expect(small.count()).toBe(1000);
  } finally {
    unmount(disk);
  }
});
