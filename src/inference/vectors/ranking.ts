import type { InvertedFile } from './inverted-file.ts';
import type { Kernel } from './kernel.ts';
import type { Effort } from './list-kernel.ts';
import type { RankCall } from './messages.ts';
import type { Sidecar } from './sidecar.ts';
import type { Hit } from './types.ts';

export type RankLimits = {
  /** Up to so many vectors, all are compared. */
  readonly exactUpTo: number;
  /** Up to so many candidates of more vectors, all are compared. */
  readonly exactCandidates: number;
  /** Numbers of entries of an inverted file that are compared for up to 2000 hits; for more, as many times as many. */
  readonly effort: Effort;
};

/** Figures of `make bench ARGS='vector-index'`, by which 98 of the nearest hundred are found. */
export const RANK_LIMITS: RankLimits = {
  // A core compares 20 vectors of 512 numbers in a microsecond, 13 if they lie apart.
  exactUpTo: 1_000_000,
  exactCandidates: 200_000,
  effort: { least: 25_000, patience: 25_000, most: 400_000 },
};

export type RankedModel = {
  readonly sidecar: Sidecar;
  findIndex(): InvertedFile | undefined;
};

/** Hits for which the effort is enough. */
const HITS_OF_EFFORT = 2000;
/** Queries that are compared with the same vectors while these are in the cache: four times faster than one by one. */
const MANY_QUERIES = 32;
/** Time of one turn, in ms: then others have theirs. */
const TURN_MS = 20;

/** Returns the best `k` of all vectors, or of the candidates, for each query. */
export async function rankVectors(
  kernel: Kernel,
  limits: RankLimits,
  model: RankedModel,
  { queries, slots, k }: Pick<RankCall, 'queries' | 'slots' | 'k'>,
): Promise<Hit[][]> {
  const { sidecar } = model;
  const count = sidecar.count();
  const total = slots ? slots.length / 4 : count;
  const scale = Math.max(1, k / HITS_OF_EFFORT);
  const effort = {
    least: Math.ceil(limits.effort.least * scale),
    patience: Math.ceil(limits.effort.patience * scale),
    most: Math.ceil(limits.effort.most * scale),
  };
  const isSingle = queries.length < MANY_QUERIES;
  const exact = slots && isSingle ? limits.exactCandidates : limits.exactUpTo;
  const isSearched = count > limits.exactUpTo && total > exact && effort.least < total / 2;
  const bits = isSearched && slots ? kernel.lists?.allow(slots, count) : undefined;
  const allowed = bits && { bits, count: total };
  const found: (Hit[] | undefined)[] = queries.map(() => undefined);
  const takeTurns = createTurns();
  for (const [at, query] of isSearched ? queries.entries() : []) {
    // Looked up for each query: a sync may replace it while others have their turn.
    found[at] = model.findIndex()?.rank(sidecar.rows(), query, { k, effort, allowed });
    await takeTurns();
  }
  const left = [...found.keys()].filter((at) => found[at] === undefined);
  const candidates = slots && left.length > 0 ? unpackSlots(slots, count) : undefined;
  for (let from = 0; from < left.length; from += MANY_QUERIES) {
    const some = left.slice(from, from + MANY_QUERIES);
    const hits = kernel.rank(sidecar.rows(), {
      queries: some.flatMap((at) => queries[at] ?? []),
      slots: candidates,
      total: candidates?.length ?? sidecar.count(),
      k,
    });
    for (const [n, at] of some.entries()) found[at] = hits[n];
    await takeTurns();
  }
  return found.map((hits) => hits ?? []);
}

/** Returns a function that lets others have their turn after some milliseconds of work. */
function createTurns(): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < TURN_MS) return;
    await Bun.sleep(0);
    from = performance.now();
  };
}

/** Returns the slots below `count`: the file does not have the vectors of newer ones yet. */
function unpackSlots(packed: Uint8Array, count: number): Uint32Array {
  const bytes = Buffer.alloc(packed.length);
  bytes.set(packed);
  bytes.swap32();
  const slots = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return slots.every((slot) => slot < count) ? slots : slots.filter((slot) => slot < count);
}
