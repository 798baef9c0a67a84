/** Limits of resumable uploads. */
export type UploadLimits = {
  /** Bytes of the whole file. */
  readonly maxBytes: number;
  /** Lifetime from creation in ms. */
  readonly maxAgeMs: number;
  /** Unfinished uploads per user. */
  readonly maxOpen: number;
  /** Time without data, in ms, after which the connection is closed. Received bytes are kept. */
  readonly idleMs: number;
  /** Bytes after which data is synced and the client gets a 104 with the offset. */
  readonly progressBytes: number;
};

const DEFAULTS: UploadLimits = {
  maxBytes: 2 ** 31,
  maxAgeMs: 24 * 60 * 60 * 1000,
  maxOpen: 16,
  idleMs: 60_000,
  progressBytes: 8 * 1024 ** 2,
};

let current = DEFAULTS;

export const getUploadLimits = (): UploadLimits => current;

/** For tests only. */
export const overrideUploadLimits = (over: Partial<UploadLimits> = {}): void => {
  current = { ...DEFAULTS, ...over };
};
