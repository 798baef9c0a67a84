/** What a vector is of. */
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

/** Answers, in the order given, which of the slots the caller may have: `select … where slot = any`. */
export type FilterSlots = (slots: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * The vectors of the database, ranked exactly by a thread of its own over a file that is made from
 * them. It may lag a moment behind the database and can then miss what is new, never show what the
 * caller's own query has not allowed.
 */
export type VectorIndex = {
  /** The best `k` by cosine, best first. */
  readonly nearest: (
    modelId: string,
    query: Float32Array,
    options: NearestOptions,
  ) => Promise<readonly Hit[]>;
  /** The same for many queries in one pass over the vectors: clustering, finding duplicates. */
  readonly nearestMany: (
    modelId: string,
    queries: readonly Float32Array[],
    options: NearestOptions,
  ) => Promise<readonly (readonly Hit[])[]>;
  /**
   * The best `k` of all that `keep` lets through, looking further down until there are enough. Best
   * where most of the vectors may be seen; where few may, give `nearest` their slots.
   */
  readonly nearestAllowed: (
    modelId: string,
    query: Float32Array,
    options: { readonly k: number; readonly keep: FilterSlots },
  ) => Promise<readonly SubjectHit[]>;
  /** Waits until everything committed so far is in the file. */
  readonly refresh: (modelId: string) => Promise<void>;
  readonly close: () => Promise<void>;
};
