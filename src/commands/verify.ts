import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type DataPaths, originalPath } from '../core/paths.ts';
import type { Db } from '../db/client.ts';
import { listOriginals, markMissing, type OriginalRow, sumOriginals } from './maintenance.store.ts';

/** A part of all originals, so that a timer can read them all in turn: `index` of `count`, from 1. */
export type Slice = { readonly index: number; readonly count: number };

export type Problem = {
  readonly sha256: string;
  readonly kind: 'missing' | 'damaged' | 'unreadable';
  readonly path: string;
  /** An earlier check has found it too. */
  readonly isKnown: boolean;
};

const BATCH = 1_000;
/** Slices divide the first two bytes of the digest. */
const PREFIX_COUNT = 0x1_00_00;

/**
 * Reads every original of the slice and compares it with its digest. What is missing or damaged is
 * recorded: the next upload of the same bytes replaces the file.
 */
export async function* verifyOriginals(
  db: Db,
  paths: DataPaths,
  slice: Slice,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Problem | 'ok'> {
  const { end, ...range } = toRange(slice);
  let after: Uint8Array = range.after;
  let inclusive = true;
  let bytes = 0;
  for (;;) {
    const rows = await listOriginals(db, { after, inclusive, end, limit: BATCH });
    for (const row of rows) {
      const found = await recordProblem(db, row, await verifyOne(paths, row));
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

/** Undefined: the original was deleted while its file was read. */
async function recordProblem(
  db: Db,
  { sha256, isMissing }: OriginalRow,
  found: Problem | 'ok',
): Promise<Problem | 'ok' | undefined> {
  // A file that cannot be read now may be readable later: no verdict.
  if (found !== 'ok' && found.kind === 'unreadable') return found;
  const isBad = found !== 'ok';
  if (isBad === isMissing) return found;
  return (await markMissing(db, sha256, isBad)) ? found : undefined;
}

async function verifyOne(
  paths: DataPaths,
  { sha256, size, isMissing }: OriginalRow,
): Promise<Problem | 'ok'> {
  const path = originalPath(paths, sha256);
  const problem = (kind: Problem['kind']) => ({
    sha256: Buffer.from(sha256).toString('hex'),
    kind,
    path,
    isKnown: isMissing,
  });
  try {
    if ((await stat(path)).size !== size) return problem('damaged');
    const hasher = new Bun.CryptoHasher('sha256');
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hasher.update(chunk as Uint8Array);
    }
    return hasher.digest().equals(sha256) ? 'ok' : problem('damaged');
  } catch (error) {
    return problem((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable');
  }
}

/** The smallest digest whose first two bytes are `value`. */
function toDigestPrefix(value: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt16BE(Math.min(PREFIX_COUNT - 1, Math.round(value)));
  return bytes;
}
