import { LRUCache } from 'lru-cache';
import type { Deps } from '../core/context.ts';
import { createLimiter } from '../core/limiter.ts';
import {
  deleteDigests,
  getPartialPath,
  openPartial,
  removePartial,
  type Staged,
  updateDigests,
} from './partial-file.ts';
import { PART_BYTES } from '../storage/object-store.ts';
import { ObjectMissing } from '../storage/s3-request.ts';
import {
  findUploadParts,
  hasParts,
  putUploadPart,
  readUploadPart,
  sumBytes,
  deleteParts,
  type UploadPart,
} from './upload-parts.ts';
import { requireSpace, markFatal, uploadNotFound } from './errors.ts';
import type { Upload } from './staging.store.ts';

// Each part of a large upload is copied to the object store, if there is one, once its bytes are durable and counted in
// the row: behind what is acknowledged, which waits for no copy. When the machine that has the file is gone, the next owner
// makes its own from the parts.

/** Parts that are sent at the same time. They are read from the files. */
const CONCURRENT_PARTS = 4;
/** Files that are made from their parts at the same time: each reads and writes as fast as it can. */
const CONCURRENT_RESTORES = 2;
/** Clients and proxies wait for longer. */
const RESTORE_WAIT_MS = 20_000;
/** More than a server receives at a time. What is left out is counted again. */
const MAX_COPIERS = 1000;

type CopyDeps = Pick<Deps, 'db' | 'sql' | 'settings' | 'paths' | 'log'>;
type Owned = Pick<Upload, 'id' | 'epoch' | 'fileEpoch'>;

type Copier = {
  deps: CopyDeps;
  readonly upload: Owned;
  /** Offset up to which the bytes are durable. */
  end: number;
  /** Parts that the store has; undefined: not counted yet. */
  parts: number | undefined;
  isQueued: boolean;
};

const copiers = new LRUCache<string, Copier>({ max: MAX_COPIERS });
const queue: Copier[] = [];
let running = 0;
const restoreLimited = createLimiter(CONCURRENT_RESTORES);

/** Copies what is durable up to the offset, in the background, one part of an upload after the other. */
export function copyParts(deps: CopyDeps, upload: Upload, offset: number): void {
  const { id, epoch, fileEpoch, length } = upload;
  if (!hasParts(deps, Math.max(length ?? 0, offset))) return;
  const { db, sql, settings, paths, log } = deps;
  // The pool may be another one by now.
  const latest = { deps: { db, sql, settings, paths, log }, end: offset };
  let copier = copiers.get(id);
  if (copier?.upload.epoch === epoch) Object.assign(copier, latest);
  else {
    const own = { id, epoch, fileEpoch };
    copier = { ...latest, upload: own, parts: undefined, isQueued: false };
    copiers.set(id, copier);
  }
  enqueue(copier);
}

/** No further part is begun. One that is on its way may still count, while the upload is incomplete. */
function stopCopies(id: string): void {
  const copier = copiers.get(id);
  if (copier) copier.end = 0;
  copiers.delete(id);
}

const isDue = ({ parts = 0, end }: Copier): boolean => (parts + 1) * PART_BYTES <= end;

function enqueue(copier: Copier): void {
  if (copier.isQueued || !isDue(copier)) return;
  copier.isQueued = true;
  queue.push(copier);
  runNext();
}

function runNext(): void {
  if (running >= CONCURRENT_PARTS) return;
  const copier = queue.shift();
  if (!copier) return;
  running += 1;
  void copyNext(copier).then((isCopied) => {
    running -= 1;
    copier.isQueued = false;
    // After a failure it waits for the next bytes.
    if (isCopied) enqueue(copier);
    runNext();
  });
}

/** Returns false when it failed, or the part does not count. */
async function copyNext(copier: Copier): Promise<boolean> {
  const { deps, upload } = copier;
  try {
    copier.parts ??= (await findUploadParts(deps, upload.id, Infinity)).length;
    if (!isDue(copier)) return true;
    const path = getPartialPath(deps.paths, upload);
    const isCounted = await putUploadPart(deps, upload, { path, position: copier.parts });
    if (isCounted) copier.parts += 1;
    else stopCopies(upload.id);
    return isCounted;
  } catch (error) {
    copier.parts = undefined;
    const isStopped = copier.end === 0;
    if (!isStopped) deps.log.warn('copying a part of an upload failed', { id: upload.id, error });
    return false;
  }
}

/** Returns the parts of an upload that the object store has, if it is one that has any. */
export const findParts = (deps: CopyDeps, { id, length }: Upload): Promise<UploadPart[]> =>
  findUploadParts(deps, id, length ?? Infinity);

/** Returns how many bytes of an incomplete upload are in the object store. */
export const countCopiedBytes = async (deps: CopyDeps, upload: Upload): Promise<number> =>
  sumBytes(await findParts(deps, upload));

/** Ends the copies of an upload that is over, and deletes its parts. */
export async function removeParts(
  deps: Pick<CopyDeps, 'db' | 'settings'>,
  { id, length }: Upload,
): Promise<void> {
  if (!hasParts(deps, length ?? Infinity)) return;
  stopCopies(id);
  await deleteParts(deps.db, id);
}

/**
 * Makes the file of this epoch from the parts, which have exactly the bytes up to the offset. Throws a fatal 404 when
 * they are not what they were, and 503 when too many others are made at this moment.
 */
export const restorePartial = (deps: CopyDeps, upload: Upload): Promise<void> =>
  restoreLimited(() => restore(deps, upload), RESTORE_WAIT_MS);

async function restore(deps: CopyDeps, upload: Upload): Promise<void> {
  const { id, epoch, offset } = upload;
  const parts = await findParts(deps, upload);
  if (sumBytes(parts) !== offset) throw markFatal(uploadNotFound());
  await requireSpace(deps, offset);
  const target = { id, fileEpoch: epoch };
  // A failed attempt may have left them.
  await removePartial(deps.paths, target);
  deleteDigests(id);
  try {
    await writeParts(deps, target, parts);
  } catch (error) {
    await removePartial(deps.paths, target);
    deleteDigests(id);
    throw error instanceof ObjectMissing ? markFatal(uploadNotFound()) : error;
  }
}

/** Writes the parts to a new file, durably. */
async function writeParts(
  deps: CopyDeps,
  target: Staged,
  parts: readonly UploadPart[],
): Promise<void> {
  const file = await openPartial(deps.paths, target, 0);
  try {
    for (const part of parts) {
      for await (const chunk of readUploadPart(deps, part)) {
        updateDigests(target.id, file.size, chunk);
        await file.write(chunk);
      }
    }
    await file.commit();
  } finally {
    await file.close();
  }
}
