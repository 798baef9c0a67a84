import { findCopy, recordVerdict, verifyOriginal } from '../areas/integrity/index.ts';
import { listOriginals, type OriginalRow, sumOriginals } from '../storage/originals.store.ts';
import type { DataPaths } from '../core/paths.ts';
import { originalPath } from '../storage/stored-file.ts';
import type { Db } from '../db/client.ts';

/** A part of all originals, so that a timer can read them all in turn: `index` of `count`, from 1. */
export type Slice = { readonly index: number; readonly count: number };

export type Problem = {
  readonly sha256: string;
  readonly kind: 'missing' | 'damaged' | 'unreadable';
  readonly path: string;
  /** An earlier check has found it too. */
  readonly isKnown: boolean;
  /** File with the right bytes; relative if it is in the data folder. */
  readonly copyPath?: string;
};

type Store = { readonly db: Db; readonly paths: DataPaths };

const BATCH = 1_000;
/** Slices divide the first two bytes of the digest. */
const PREFIX_COUNT = 0x1_00_00;

/**
 * Reads every original of the slice and compares it with its digest. What is missing or damaged is
 * recorded: the next upload of the same bytes replaces the file.
 */
export async function* verifyOriginals(
  store: Store,
  slice: Slice,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Problem | 'ok'> {
  const { end, ...range } = toRange(slice);
  let after: Uint8Array = range.after;
  let inclusive = true;
  let bytes = 0;
  for (;;) {
    const rows = await listOriginals(store.db, { after, inclusive, end, limit: BATCH });
    for (const row of rows) {
      const found = await verifyOne(store, row);
      onBytes((bytes += row.size));
      if (found) yield found;
    }
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last.sha256;
    inclusive = false;
  }
}

/** Returns the bytes of all originals of the slice. */
export const measureOriginals = (db: Db, slice: Slice): Promise<number> =>
  sumOriginals(db, toRange(slice));

const toRange = ({ index, count }: Slice) => ({
  after: toDigestPrefix(((index - 1) * PREFIX_COUNT) / count),
  end: index < count ? toDigestPrefix((index * PREFIX_COUNT) / count) : undefined,
});

/** Undefined: the original was deleted, or its file replaced, while it was read. */
async function verifyOne(store: Store, row: OriginalRow): Promise<Problem | 'ok' | undefined> {
  const { sha256, isMissing } = row;
  const verified = await verifyOriginal(store.paths, row);
  const { verdict } = verified;
  const isNews = verdict !== 'unreadable' && (verdict === 'ok') === isMissing;
  if (isNews && !(await recordVerdict(store, sha256, verified))) return undefined;
  if (verdict === 'ok') return 'ok';
  const copyPath = await findCopy(store, row);
  return {
    sha256: Buffer.from(sha256).toString('hex'),
    kind: verdict,
    path: originalPath(store.paths, sha256),
    isKnown: isMissing,
    ...(copyPath && { copyPath }),
  };
}

/** The smallest digest whose first two bytes are `value`. */
function toDigestPrefix(value: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt16BE(Math.min(PREFIX_COUNT - 1, Math.round(value)));
  return bytes;
}
