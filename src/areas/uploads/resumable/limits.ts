/** Limits of resumable uploads. */
export type UploadLimits = {
  /** Bytes that a client may announce when it creates an upload. The API names this maximum of Upload-Length. */
  readonly maxAnnouncedBytes: number;
  /** Bytes of a file that is uploaded without Upload-Length, like a video that is larger than that. */
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
  maxAnnouncedBytes: 2 ** 31,
  maxBytes: 2 ** 40,
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
