/** Kind of subject that a vector describes. */
export type SubjectKind = 'asset' | 'face' | 'frame' | 'text';

export type NewEmbedding = {
  readonly kind: SubjectKind;
  readonly subjectId: string;
  /** Unit length. */
  readonly vector: Float32Array;
};

/** `slot`: see the table embedding. `score`: the cosine, -1 to 1. */
export type Hit = { readonly slot: number; readonly score: number };
export type SubjectHit = { readonly subjectId: string; readonly score: number };

/**
 * Which vectors are ranked: all of the model, or those slots that a query has packed with
 * `string_agg(int4send(slot), ''::bytea)` (big-endian, four bytes each).
 */
export type Candidates = 'all' | Uint8Array;

export type NearestOptions = {
  readonly candidates?: Candidates;
  readonly k: number;
};

export type ScoredOptions = {
  readonly k: number;
  /** Lowest score of a result. */
  readonly atLeast?: number | undefined;
};

/** Returns the subject id by slot, for those slots that the caller may see. */
export type FilterSlots = (slots: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * Nearest-neighbour search over the vectors of the database, in a separate thread over memory-mapped
 * files. It may lag behind the database for a moment and miss new vectors, but never returns slots
 * outside the given candidates. Up to 200,000 candidates are compared one by one, and so are all vectors of a
 * model up to a million; of more, an inverted file finds 98 of the nearest hundred.
 */
export type VectorIndex = {
  /** Returns the `k` nearest by cosine, best first. */
  readonly nearest: (
    modelId: string,
    query: Float32Array,
    options: NearestOptions & ScoredOptions,
  ) => Promise<readonly Hit[]>;
  /** Ranks many queries in one pass: for clustering and duplicates. */
  readonly nearestMany: (
    modelId: string,
    queries: readonly Float32Array[],
    options: NearestOptions,
  ) => Promise<readonly (readonly Hit[])[]>;
  /**
   * Returns the `k` nearest that `keep` allows, widening the search as needed. For callers who may
   * see most vectors; otherwise pass candidates to `nearest`.
   */
  readonly nearestAllowed: (
    modelId: string,
    query: Float32Array,
    options: ScoredOptions & { readonly keep: FilterSlots },
  ) => Promise<readonly SubjectHit[]>;
  /** Resolves once everything committed so far is in the index. */
  readonly refresh: (modelId: string) => Promise<void>;
  readonly close: () => Promise<void>;
};
