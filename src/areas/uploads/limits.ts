/** What a resumable upload may cost. */
export type UploadLimits = {
  /** Of the whole file. */
  readonly maxBytes: number;
  /** From its creation until it is given up. */
  readonly maxAgeMs: number;
  /** Uploads of one account that have begun and are no assets yet. */
  readonly maxOpen: number;
  /** A sender who is silent for so long is cut off; what he sent is kept. */
  readonly idleMs: number;
  /** After so many bytes they are made durable, and the client is told. */
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

export const uploadLimits = (): UploadLimits => current;

/** For tests alone, so that they need not wait for a minute or send 2 GiB. */
export const limitUploads = (over: Partial<UploadLimits> = {}): void => {
  current = { ...DEFAULTS, ...over };
};
