import type { Kernel, Rows } from './kernel.ts';
import { packQueries } from './kernel.ts';
import type { Hit } from './types.ts';

const MIN_CANDIDATES = 100;

/** For processors that the compiled kernel does not know, and systems that load nothing. */
export const plainKernel: Kernel = {
  name: 'JavaScript',
  rank(rows, { queries, slots, total, k }) {
    const { dimension } = rows;
    const { floats, bytes } = packQueries(queries, dimension);
    const wide = Math.max(MIN_CANDIDATES, 2 * k);
    return queries.map((_, index) => {
      const query = bytes.subarray(index * dimension, (index + 1) * dimension);
      const exact = floats.subarray(index * dimension, (index + 1) * dimension);
      const rough = selectBest(wide, total, (at) => roughHit(rows, query, slots ? slots[at]! : at));
      return selectBest(k, rough.length, (at) => ({
        slot: rough[at]!.slot,
        score: exactScore(rows, exact, rough[at]!.slot),
      }));
    });
  },
  quantise(rows, from, count) {
    const { dimension, bytes, scales } = rows;
    for (let row = from; row < from + count; row++) {
      const values = readHalves(rows, row);
      const written = bytes.view(row * dimension, dimension);
      let greatest = 0;
      for (const value of values) greatest = Math.max(greatest, Math.abs(value));
      const by = greatest > 0 ? 127 / greatest : 0;
      for (let at = 0; at < dimension; at++) {
        written[at] = Math.round(values[at]! * by);
      }
      scales[row] = greatest / 127;
    }
  },
  lists: undefined,
};

function roughHit({ dimension, bytes, scales }: Rows, query: Int8Array, slot: number) {
  const scale = scales[slot]!;
  if (scale === 0) return undefined;
  const view = bytes.view(slot * dimension, dimension);
  const row = new Int8Array(view.buffer, view.byteOffset, dimension);
  let sum = 0;
  for (let at = 0; at < dimension; at++) sum += row[at]! * query[at]!;
  return { slot, score: sum * scale };
}

function exactScore(rows: Rows, query: Float32Array, slot: number): number {
  const { dimension } = rows;
  const row = readHalves(rows, slot);
  let sum = 0;
  for (let at = 0; at < dimension; at++) sum += row[at]! * query[at]!;
  return sum;
}

function readHalves({ dimension, halves }: Rows, slot: number): Float16Array {
  const { buffer, byteOffset } = halves.view(slot * dimension * 2, dimension * 2);
  return new Float16Array(buffer, byteOffset, dimension);
}

/** The best of `count` hits, sorted; the list is cut from time to time rather than kept as a heap. */
function selectBest(most: number, count: number, hitAt: (at: number) => Hit | undefined): Hit[] {
  const order = (a: Hit, b: Hit) => b.score - a.score || a.slot - b.slot;
  let kept: Hit[] = [];
  let least = Number.NEGATIVE_INFINITY;
  const cut = () => {
    kept = kept.sort(order).slice(0, most);
    if (kept.length === most) least = kept.at(-1)!.score;
  };
  for (let at = 0; at < count; at++) {
    const hit = hitAt(at);
    if (!hit || hit.score < least) continue;
    kept.push(hit);
    if (kept.length >= 2 * most) cut();
  }
  cut();
  return kept;
}
