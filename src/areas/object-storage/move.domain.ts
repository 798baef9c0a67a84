import type { Deps } from '../../core/context.ts';
import { toHex } from '../../core/hash.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ignoreMissing } from '../../media/file-placement.ts';
import { publishFile, nameObject, putOriginal } from '../../storage/originals.ts';
import { type Incoming, openIncoming } from '../../storage/index.ts';
import { iterateOriginals, type OriginalRow } from '../../storage/originals.store.ts';
import { quarantineFile } from '../../storage/removal.ts';
import { leaveObject, openObjectStore } from '../../storage/objects.ts';
import { ObjectMissing } from '../../storage/s3-request.ts';
import { lockKey } from './originals.store.ts';
import { verifyOriginal } from '../integrity/index.ts';

// Moves originals between the data folder and the object store, one by one, while they are used: a row changes its place
// when the other place has verified bytes. It can be ended and begun again at any time.

export type Move = {
  /** Has files go to the quarantine, where they are deleted after 30 days, once their objects are stored. */
  readonly deletesFiles: boolean;
  readonly onBytes: (bytes: number) => void;
};

export type MoveCounts = {
  readonly moved: number;
  /** Originals that were in the other place already. */
  readonly kept: number;
  /** SHA-256 in hex of originals whose bytes are missing or wrong: they stay where they are. */
  readonly bad: readonly string[];
};

type Outcome = 'moved' | 'kept' | 'bad';

/** Originals at the same time: a small one waits for the network most of its time. */
const CONCURRENT_MOVES = 4;

async function moveAll(
  originals: AsyncGenerator<OriginalRow>,
  onBytes: (bytes: number) => void,
  move: (original: OriginalRow) => Promise<Outcome>,
): Promise<MoveCounts> {
  const counts = { moved: 0, kept: 0, bad: [] as string[] };
  let bytes = 0;
  let hasFailed = false;
  const moveNext = async () => {
    for (;;) {
      const next = hasFailed ? undefined : await originals.next();
      if (next === undefined || next.done) return;
      const original = next.value;
      const outcome = await move(original).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
      if (outcome === 'bad') counts.bad.push(toHex(original.sha256));
      else counts[outcome] += 1;
      onBytes((bytes += original.size));
    }
  };
  // Moves that have begun are waited for: their transactions need the pool.
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_MOVES }, moveNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return counts;
}

/** Moves the originals of the data folder to the object store. Throws StorageUnavailable. */
export const moveToObjects = (deps: Deps, { deletesFiles, onBytes }: Move): Promise<MoveCounts> =>
  moveAll(iterateOriginals(deps.db, 'all'), onBytes, async (original) => {
    const outcome = original.objectKey === null ? await moveToObject(deps, original) : 'kept';
    if (outcome !== 'bad' && deletesFiles) await deleteFile(deps, original);
    return outcome;
  });

async function moveToObject(deps: Deps, original: OriginalRow): Promise<Outcome> {
  const { sha256, size } = original;
  const path = originalPath(deps.paths, sha256);
  const { verdict } = await verifyOriginal(deps.paths, original);
  if (verdict === 'unreadable') throw new Error(`${path} cannot be read`);
  if (verdict !== 'ok') return 'bad';
  const key = await putOriginal(deps, { path, sha256, size });
  if (key === undefined) throw new Error('There is no object store');
  return inTransaction(deps, async (deps) => {
    // Deleted, or moved by another process, meanwhile: the object goes in a day.
    if ((await lockKey(deps.db, sha256)) !== null) return 'kept';
    await nameObject(deps, sha256, key);
    return 'moved';
  });
}

/** Puts the file of an original in the quarantine, if the object store has its bytes now. */
async function deleteFile(deps: Deps, { sha256, size }: OriginalRow): Promise<void> {
  const objects = await openObjectStore(deps);
  await inTransaction(deps, async ({ db, paths }) => {
    const key = await lockKey(db, sha256);
    if (typeof key !== 'string' || (await objects.findSize(key)) !== size) return;
    const hash = toHex(sha256);
    await quarantineFile(paths, originalPath(paths, sha256), `${hash}.moved`).catch(ignoreMissing);
  });
}

/** Moves the originals of the object store to the data folder; their objects are deleted in 30 days. */
export const moveToFiles = (deps: Deps, { onBytes }: Pick<Move, 'onBytes'>): Promise<MoveCounts> =>
  moveAll(iterateOriginals(deps.db, 'objects'), onBytes, (original) => moveToFile(deps, original));

async function moveToFile(deps: Deps, original: OriginalRow): Promise<Outcome> {
  const { sha256, objectKey } = original;
  const isThere = (await verifyOriginal(deps.paths, original)).verdict === 'ok';
  const file = isThere ? undefined : await fetchFile(deps, original);
  if (!isThere && !file) return 'bad';
  try {
    return await inTransaction(deps, async ({ db, paths }) => {
      if ((await lockKey(db, sha256)) !== objectKey) return 'kept';
      if (file) await publishFile(paths, file, sha256, { isDoubted: true });
      await leaveObject(db, sha256, KEPT_SECONDS);
      return 'moved';
    });
  } finally {
    await file?.discard();
  }
}

/** Time to notice that an old backup of the database was restored, which has the originals in the object store. */
const KEPT_SECONDS = 30 * 24 * 3600;

/** Returns a durable file with the bytes of the object; undefined when they are missing or wrong. */
async function fetchFile(
  deps: Deps,
  { sha256, size, objectKey }: OriginalRow,
): Promise<Incoming | undefined> {
  const objects = await openObjectStore(deps);
  const file = await openIncoming(deps.paths);
  try {
    for await (const chunk of objects.read(objectKey ?? '', { start: 0, end: size })) {
      await file.write(chunk);
    }
    const digests = await file.finish();
    if (Buffer.compare(digests.sha256, sha256) !== 0) throw new ObjectMissing('It has other bytes');
    await file.sync();
    return file;
  } catch (error) {
    await file.discard();
    if (error instanceof ObjectMissing) return undefined;
    throw error;
  }
}
