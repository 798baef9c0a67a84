import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Pause, trainCentroids } from './centroids.ts';
import {
  createInvertedFile,
  type InvertedFile,
  type InvertedFileOptions,
} from './inverted-file.ts';
import { toMemory } from './mapped-memory.ts';
import { type Sidecar, tryLock } from './sidecar.ts';

/** An inverted file of the vectors that the sidecar had; what has changed since must be put into it. */
export type BuiltIndex = {
  readonly generation: number;
  readonly file: InvertedFile;
  /** Ends the right to build. */
  readonly release: () => void;
};

const PREFIX = 'ivf-';
export const getIndexFolder = (folder: string, generation: number): string =>
  join(folder, `${PREFIX}${generation}`);

/** Lists per square root of the number of vectors. */
const LISTS = 4;
/** Vectors of the sample for each list. */
const SAMPLE_PER_LIST = 32;
/** Vectors that are put at once. */
const STEP = 1024;

/**
 * Builds an inverted file beside the one in service; undefined while another process builds one. A file
 * that was not completed is deleted by whoever builds the next one.
 */
export async function buildIndex(
  folder: string,
  sidecar: Sidecar,
  options: InvertedFileOptions,
  pause: Pause,
): Promise<BuiltIndex | undefined> {
  const release = tryLock(join(folder, 'build.lock'));
  if (!release) return undefined;
  try {
    deleteIndexes(folder, sidecar.generation());
    const count = sidecar.count();
    const sample = await takeSample(sidecar, count, pause);
    const trainer = { kernel: options.kernel, lists: options.lists, pause };
    const centroids = await trainCentroids(trainer, sample, countLists(count));
    const [generation = 1] = crypto.getRandomValues(new Uint32Array(1));
    const file = createInvertedFile(getIndexFolder(folder, generation), centroids, options);
    for (let from = 0; from < count; from += STEP) {
      file.put(sidecar.rows(), from, Math.min(count, from + STEP));
      await pause();
    }
    return { generation, file, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Deletes all inverted files but this one. Whoever has one mapped keeps it until it is closed. */
export function deleteIndexes(folder: string, except: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX) || name === `${PREFIX}${except}`) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

const countLists = (vectors: number): number => Math.max(1, Math.round(LISTS * Math.sqrt(vectors)));

/** Copies vectors from all parts of the library. */
async function takeSample(sidecar: Sidecar, count: number, pause: Pause) {
  const { dimension, scales } = sidecar.rows();
  const wanted = Math.min(count, countLists(count) * SAMPLE_PER_LIST);
  const slots = Array.from({ length: wanted }, (_, at) => Math.floor((at * count) / wanted));
  const present = slots.filter((slot) => scales[slot] !== 0);
  const copy = new Uint8Array(present.length * dimension);
  const copiedScales = Float32Array.from(present, (slot) => scales[slot] ?? 0);
  for (const [at, slot] of present.entries()) {
    copy.set(sidecar.rows().bytes.view(slot * dimension, dimension), at * dimension);
    if (at % STEP === 0) await pause();
  }
  return { dimension, count: present.length, bytes: toMemory(copy), scales: copiedScales };
}
