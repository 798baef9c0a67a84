import type { Kernel, Rows } from './kernel.ts';
import type { Centroids, ListKernel, Quantised } from './list-kernel.ts';
import { toMemory } from './mapped-memory.ts';

// Spherical k-means in two levels: a sample is parted into groups, and each group into its share of the
// centroids. A row is then compared with a few groups instead of all centroids.

/** Called between steps of some milliseconds, so that others get their turn. */
export type Pause = () => Promise<void>;

type Trainer = { readonly kernel: Kernel; readonly lists: ListKernel; readonly pause: Pause };
/** Rows without gaps. */
type Sample = Quantised & { readonly dimension: number; readonly count: number };

const ITERATIONS = 8;
/** Rows that are compared with the centroids in one step. */
const STEP = 2048;

/** Returns about `count` centroids of the sample, none of a group without rows. */
export async function trainCentroids(
  trainer: Trainer,
  sample: Sample,
  count: number,
): Promise<Centroids> {
  const groups = await findMeans(trainer, sample, Math.max(1, Math.round(Math.sqrt(count))));
  const nearest = await assignAll(trainer, sample, groups);
  const parts: Float32Array[] = [];
  const starts = new Uint32Array(groups.scales.length + 1);
  for (let group = 0; group < groups.scales.length; group++) {
    const members = copyMembers(sample, nearest, group);
    const share = Math.round((count * members.count) / sample.count);
    const wanted = Math.min(members.count, Math.max(1, share));
    const found = wanted === 0 ? undefined : await findMeans(trainer, members, wanted);
    if (found) parts.push(found.means);
    starts[group + 1] = (starts[group] ?? 0) + (found ? wanted : 0);
  }
  const { bytes, scales } = quantise(trainer.kernel, parts, sample.dimension);
  return { bytes, scales, groups, starts };
}

type Means = Quantised & { readonly means: Float32Array };

/** Returns `count` means of unit length; `sample` has so many rows at least. */
async function findMeans(trainer: Trainer, sample: Sample, count: number): Promise<Means> {
  const { dimension } = sample;
  const means = new Float32Array(count * dimension);
  // Begins with rows from all parts of the sample, each a cluster of its own.
  const stride = sample.count / count;
  for (let mean = 0; mean < count; mean++)
    means.set(readRow(sample, Math.floor(mean * stride)), mean * dimension);
  for (let round = 0; round < ITERATIONS; round++) {
    const centroids = quantise(trainer.kernel, [means], dimension);
    const nearest = await assignAll(trainer, sample, centroids);
    const sums = new Float32Array(count * dimension);
    for (let from = 0; from < sample.count; from += STEP) {
      const range = { from, to: Math.min(sample.count, from + STEP) };
      trainer.lists.sum(sample, dimension, range, nearest, sums);
      await trainer.pause();
    }
    // A mean without rows stays where it is.
    for (let mean = 0; mean < count; mean++)
      normalizeInto(
        sums.subarray(mean * dimension, (mean + 1) * dimension),
        means,
        mean * dimension,
      );
  }
  const { bytes, scales } = quantise(trainer.kernel, [means], dimension);
  return { bytes, scales, means };
}

/** Returns the nearest of the centroids for each row. */
async function assignAll(
  { lists, pause }: Trainer,
  { bytes, dimension, count }: Sample,
  centroids: Quantised,
): Promise<Uint32Array> {
  const nearest = new Uint32Array(count);
  const flat = toOneGroup(centroids);
  for (let from = 0; from < count; from += STEP) {
    const to = Math.min(count, from + STEP);
    nearest.set(lists.assign(bytes, dimension, { from, to }, flat), from);
    await pause();
  }
  return nearest;
}

/** All centroids as one group, whose own centroid does not matter. */
const toOneGroup = (centroids: Quantised): Centroids => ({
  ...centroids,
  groups: { bytes: centroids.bytes, scales: centroids.scales.subarray(0, 1) },
  starts: Uint32Array.of(0, centroids.scales.length),
});

function copyMembers(sample: Sample, nearest: Uint32Array, group: number): Sample {
  const { dimension } = sample;
  const members: number[] = [];
  for (const [row, at] of nearest.entries()) if (at === group) members.push(row);
  const bytes = new Uint8Array(members.length * dimension);
  for (const [at, row] of members.entries())
    bytes.set(sample.bytes.view(row * dimension, dimension), at * dimension);
  const scales = Float32Array.from(members, (row) => sample.scales[row] ?? 0);
  return { bytes: toMemory(bytes), scales, dimension, count: members.length };
}

function readRow({ bytes, scales, dimension }: Sample, row: number): Float32Array {
  const { buffer, byteOffset } = bytes.view(row * dimension, dimension);
  const scale = scales[row] ?? 0;
  return Float32Array.from(new Int8Array(buffer, byteOffset, dimension), (value) => value * scale);
}

function normalizeInto(sum: Float32Array, means: Float32Array, at: number): void {
  let square = 0;
  for (const value of sum) square += value * value;
  if (square === 0) return;
  const by = 1 / Math.sqrt(square);
  for (let n = 0; n < sum.length; n++) means[at + n] = (sum[n] ?? 0) * by;
}

/** Returns rows of these numbers, in sequence. */
function quantise(kernel: Kernel, parts: readonly Float32Array[], dimension: number): Rows {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const halves = new Float16Array(length);
  let at = 0;
  for (const part of parts) {
    halves.set(part, at);
    at += part.length;
  }
  const count = length / dimension;
  const rows: Rows = {
    dimension,
    bytes: toMemory(new Uint8Array(length)),
    scales: new Float32Array(count),
    halves: toMemory(new Uint16Array(halves.buffer)),
  };
  kernel.quantise(rows, 0, count);
  return rows;
}
