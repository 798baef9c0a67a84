import { readdir } from 'node:fs/promises';
import type { Deps } from '../core/context.ts';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { getErrorCode } from '../media/file-placement.ts';
import * as partial from './partial-file.ts';
import { type Digests, hasObjectStore, type Received } from '../storage/index.ts';
import { deletePartsOfEnded } from './upload-parts.ts';
import { requireSpace, uploadNotFound } from './errors.ts';
import { explainError, save, takeOver } from './ownership.ts';
import {
  copyParts,
  countCopiedBytes,
  findParts,
  removeParts,
  restorePartial,
} from './part-copies.ts';
import { listOpenEpochs, type Upload } from './staging.store.ts';

// Staging keeps the bytes of unfinished uploads: in the folder of this server, in one that servers share, or, when the
// machine is gone that received them, in the object store. Only this folder reads the columns of an upload that tell
// where they are and whose they are: `epoch`, `fileEpoch`, `bootId` and `stagingId`.

export { continueFile } from './partial-file.ts';
export { getStagingId, openStaging } from './staging-id.ts';
export { filterUnknownParts } from './upload-parts.ts';
export {
  acquireUploadLock,
  areTogether,
  begin,
  explainError,
  isLost,
  joinOtherHalf,
  save,
  type UploadLock,
} from './ownership.ts';

/**
 * Makes this process the owner of an incomplete upload, with the offset up to which its bytes are there. Returns undefined
 * when it is over by now. Throws 404 when bytes are lost that were reported: then it has failed.
 */
export async function claim(
  deps: Deps,
  upload: Upload,
  maxBytes: number,
): Promise<Upload | undefined> {
  const owned = await takeOver(deps, upload);
  return (
    owned &&
    reconcileOffset(deps, owned, maxBytes).catch(async (error: unknown) => {
      throw await explainError(deps, owned, error);
    })
  );
}

/**
 * Makes row and file agree after a crash: keeps all reported bytes and no unverified ones. Without the file they are those
 * in the object store.
 */
async function reconcileOffset(deps: Deps, upload: Upload, maxBytes: number): Promise<Upload> {
  const { id, offset, epoch, fileEpoch } = upload;
  const size = await partial.getPartialSize(deps.paths, upload);
  if (size === offset) return upload;
  if (size < offset) {
    const copied = fileEpoch === epoch ? 0 : await countCopiedBytes(deps, upload);
    if (copied > 0) {
      // The file of this epoch is made from the parts when it is needed (see prepare).
      const behind = await save(deps, deps.db, upload, { offset: copied });
      await partial.removePartial(deps.paths, upload);
      return behind;
    }
    await fail(deps, upload, 'The server has lost bytes of this upload');
    deps.log.warn('upload file is shorter than its reported offset', { id, offset, size });
    throw uploadNotFound();
  }
  const isTrusted = upload.bootId === partial.getBootId();
  const end = isTrusted ? Math.min(size, upload.length ?? maxBytes) : offset;
  if (end < size) await partial.truncatePartial(deps.paths, upload, end);
  else await partial.syncPartial(deps.paths, upload);
  return save(deps, deps.db, upload, { offset: end });
}

/** Ends an upload that cannot be continued. Throws when another process owns it by now, which has its own opinion. */
export async function fail(deps: Deps, upload: Upload, error: string): Promise<void> {
  await save(deps, deps.db, upload, { status: 'failed', error });
  await remove(deps, upload);
}

/**
 * Gives the owner a file that no other process has open, with the bytes up to the offset: those of the file before it, or,
 * when that is gone, of the object store.
 */
export async function prepare(deps: Deps, upload: Upload): Promise<Upload> {
  if (upload.fileEpoch === upload.epoch) return upload;
  const to = { id: upload.id, fileEpoch: upload.epoch };
  try {
    await partial.copyPartial(deps.paths, { from: upload, to, size: upload.offset });
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || (await countCopiedBytes(deps, upload)) === 0)
      throw error;
    await restorePartial(deps, upload);
  }
  const prepared = await save(deps, deps.db, upload, { fileEpoch: to.fileEpoch });
  reach('takeover.saved');
  await partial.removePartial(deps.paths, upload);
  return prepared;
}

/** The bytes of an upload, open behind its offset. `commit` counts them in the row. */
export type StagedFile = partial.PartialFile & {
  /** After `close`: counts the bytes up to the offset in the row, and cuts off the others. */
  settle(offset: number): Promise<void>;
};

/** Opens a prepared upload. Tentative bytes do not count after a crash: a digest of all of them decides. */
export async function open(
  deps: Deps,
  upload: Upload,
  { isTentative }: { readonly isTentative: boolean },
): Promise<StagedFile> {
  const { id } = upload;
  const count = async (offset: number) => {
    await save(deps, deps.db, upload, { offset, bootId: partial.getBootId() });
    copyParts(deps, upload, offset);
  };
  if (isTentative) await save(deps, deps.db, upload, { bootId: null });
  const file = await partial.openPartial(deps.paths, upload, upload.offset);
  let end = upload.offset;
  return {
    get size() {
      return file.size;
    },
    write(chunk) {
      partial.updateDigests(id, file.size, chunk);
      return file.write(chunk);
    },
    async commit() {
      const offset = await file.commit();
      await requireSpace(deps, 0);
      await count(offset);
      return offset;
    },
    async close() {
      const closed = await file.close();
      end = closed.end;
      return closed;
    },
    async settle(offset) {
      if (offset < end) await partial.truncatePartial(deps.paths, upload, offset);
      partial.retainDigests(id, offset);
      await count(offset);
    },
  };
}

/** Returns the digests of a complete upload. */
export const digest = ({ paths }: Deps, upload: Upload): Promise<Digests> =>
  partial.computePartialDigests(paths, upload, upload.offset);

/** Makes a complete upload durable that waits to be published. */
export async function seal(deps: Deps, upload: Upload, digests: Digests): Promise<void> {
  await toReceived(deps.paths, upload, digests).file.sync();
  partial.deleteDigests(upload.id);
}

/** Returns a complete upload as it is published; `remove` then deletes what is left of it. */
export const toReceived = (paths: DataPaths, upload: Upload, digests: Digests): Received => ({
  file: partial.completePartial(paths, upload, digests.size),
  digests,
});

/** The same with the parts that the object store has already. */
export async function receive(deps: Deps, upload: Upload, digests: Digests): Promise<Received> {
  const partKeys = (await findParts(deps, upload)).map(({ key }) => key);
  const received = toReceived(deps.paths, upload, digests);
  return partKeys.length > 0 ? { ...received, partKeys } : received;
}

/** Deletes the bytes of an upload that is over. */
export async function remove(deps: Deps, upload: Upload): Promise<void> {
  partial.deleteDigests(upload.id);
  await partial.removePartial(deps.paths, upload);
  await removeParts(deps, upload);
}

/** Id and epoch of the upload. */
const PARTIAL_FILE_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(\d+)$/;
const BATCH_SIZE = 1000;

/** Deletes the bytes of ended uploads, and of any that no row needs. Returns how many of those there were. */
export async function sweep(
  { db, paths, settings }: Pick<Deps, 'db' | 'paths' | 'settings'>,
  ended: readonly Pick<Upload, 'id' | 'fileEpoch'>[],
): Promise<number> {
  for (const staged of ended) await partial.removePartial(paths, staged);
  if (hasObjectStore(settings)) await deletePartsOfEnded(db);
  // Rows are saved before their files are made, so a file that no row needs was left by a crash or an earlier owner.
  const names = await readdir(paths.incoming).catch(() => []);
  const files = names.flatMap((name) => {
    const [, id, epoch] = PARTIAL_FILE_NAME.exec(name) ?? [];
    return id ? [{ id, fileEpoch: Number(epoch) }] : [];
  });
  let orphans = 0;
  for (let at = 0; at < files.length; at += BATCH_SIZE) {
    const batch = files.slice(at, at + BATCH_SIZE);
    const needed = await listOpenEpochs(
      db,
      batch.map(({ id }) => id),
    );
    for (const staged of batch) {
      // A later one is being filled by the next owner.
      if (staged.fileEpoch >= (needed.get(staged.id) ?? Infinity)) continue;
      await partial.removePartial(paths, staged);
      orphans += 1;
    }
  }
  return orphans;
}
