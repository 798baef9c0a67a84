import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { toHex } from '../../../core/hash.ts';
import { requireValue } from '../../../core/required.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { enqueueAll } from '../../../jobs/queue.ts';
import { toLocalTime } from '../../../media/capture-time.ts';
import { getMediaType } from '../../../media/formats.ts';
import { forgetContent, releaseClips, supplementAsset } from '../../assets/index.ts';
import { deleteAssetsWithFiles } from '../../trash/index.ts';
import type { Facts } from '../../imports/index.ts';
import {
  findAccountZone,
  type LocalCopy,
  publishSidecar,
  storeSidecar,
  toProcessingJobs,
} from '../../uploads/index.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import { findExclusions, shareLibrary } from '../store.ts';
import { copySidecar, createCompanionFinder } from './companions.ts';
import * as store from './intake.store.ts';
import { insertNewItems, type NewItem } from './new-items.store.ts';
import { takeInSidecars } from './sidecars.domain.ts';
import { deleteSidecars, saveSidecarsRead } from './sidecars.store.ts';
import { FileRefusedError, type ReadFile, readExternalFile } from './read-file.ts';
import * as storage from '../../../storage/index.ts';

type ReadUnread = {
  readonly file: store.UnreadFile;
  readonly read: ReadFile;
  readonly facts: Facts;
  readonly sidecarPath: string | undefined;
  readonly sidecar: LocalCopy | undefined;
  /** Id of the item that it becomes, unless it is one. */
  readonly newId: string;
};

/**
 * Reads files of a library and takes them in: as items, as the items that they were at another path, or as
 * the new content of their items. What cannot be read is recorded with the reason.
 */
export async function takeIn(
  deps: Deps,
  libraryId: string,
  fileIds: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const exclusions = await findExclusions(deps.db, libraryId);
  if (!exclusions) return;
  const unread = await store.listUnread(deps.db, libraryId, fileIds);
  const findCompanions = createCompanionFinder(exclusions);
  const { files = [], sidecars = [] } = Object.groupBy(unread, ({ isSidecar }) =>
    isSidecar ? 'sidecars' : 'files',
  );
  const done: ReadUnread[] = [];
  const refused: { readonly id: number; readonly reason: string }[] = [];
  try {
    for (const file of files) {
      try {
        const { facts, sidecarPath } = await findCompanions(file.path);
        if (facts.isTrashed)
          throw new FileRefusedError('In the trash of the export that it is from');
        const read = await readExternalFile(file.path, signal);
        const newId = randomUUID();
        const copy = sidecarPath ? await copySidecar(deps, sidecarPath) : undefined;
        const sidecar =
          copy && file.assetId === null ? await storeSidecar(deps, newId, copy) : copy;
        done.push({ file, read, facts, sidecarPath, sidecar, newId });
      } catch (error) {
        if (!(error instanceof FileRefusedError)) throw error;
        refused.push({ id: file.id, reason: error.message });
      }
    }
    await saveAll(deps, libraryId, { fileIds, done, refused });
  } finally {
    for (const { sidecar } of done) await sidecar?.file.discard();
  }
  await takeInSidecars(deps, libraryId, { files: sidecars, findCompanions, signal });
}

type Outcome = {
  readonly fileIds: readonly number[];
  readonly done: readonly ReadUnread[];
  readonly refused: readonly { readonly id: number; readonly reason: string }[];
};

/** Leaves out files that have changed meanwhile: they are read again. */
async function saveAll(
  deps: Deps,
  libraryId: string,
  { fileIds, done, refused }: Outcome,
): Promise<void> {
  const unused = await inTransaction(deps, async (deps) => {
    const library = await shareLibrary(deps.db, libraryId);
    if (!library) return [];
    const locked = await store.lockUnread(deps.db, libraryId, fileIds);
    for (const { id, reason } of refused) {
      if (locked.has(id)) await store.setError(deps.db, [id], reason);
    }
    const unchanged = done.filter(({ file, read }) => {
      const now = locked.get(file.id);
      return now?.modifiedUs === file.modifiedUs && now.size === read.size;
    });
    return unchanged.length > 0 ? save(deps, library, unchanged) : [];
  });
  await storage.remove(storage.derivedFiles(deps.paths, unused));
}

/** Returns derived files that nothing refers to any more. */
async function save(
  deps: Deps,
  library: LibraryRow,
  files: readonly ReadUnread[],
): Promise<string[]> {
  const { db, now } = deps;
  await store.lockContents(
    db,
    files.map(({ file: { path }, read }) => ({ ...read, path })),
  );
  const remaining = await moveItems(db, library, files, now());
  const zone = await findAccountZone(db, library.ownerId);
  const changed = remaining.flatMap((one) => {
    const { assetId, path } = one.file;
    return assetId === null ? [] : [{ ...one, assetId, type: requireMediaType(path) }];
  });
  const added = remaining
    .filter(({ file }) => file.assetId === null)
    .map((one) => ({ ...one, row: toAsset(library, one, { zone, now: now() }) }));
  const rows = added.map(({ row }) => row);
  const unused = await replaceContents(db, changed, now());
  const bare = changed.filter(({ sidecarPath }) => sidecarPath === undefined);
  await deleteSidecars(
    db,
    bare.map(({ assetId }) => assetId),
  );
  await insertNewItems(db, rows);
  const toRead = ({ file, read }: ReadUnread, assetId: string) => ({
    id: file.id,
    sha256: read.sha256,
    assetId,
  });
  await store.saveRead(db, [
    ...added.map((one) => toRead(one, one.row.id)),
    ...changed.map((one) => toRead(one, one.assetId)),
  ]);
  const types = changed.map(({ assetId: id, type }) => ({ id, type }));
  await enqueueAll(db, [...rows, ...types].flatMap(toProcessingJobs));
  for (const { row, facts } of added) await supplementAsset(db, row.id, facts);
  await recordEvents(
    db,
    'AssetCreate',
    rows.filter(({ lockedAt }) => lockedAt === null).map(({ id }) => id),
  );
  const sidecars = added.flatMap(({ sidecarPath, sidecar }) =>
    sidecarPath && sidecar ? [{ path: sidecarPath, ...sidecar.digests }] : [],
  );
  await saveSidecarsRead(db, library.id, sidecars);
  for (const { row, sidecar } of added) await publishSidecar(deps, row.id, { sidecar });
  return unused;
}

type Changed = Pick<ReadUnread, 'file' | 'read'> & { readonly assetId: string };

/** Returns derived files that nothing refers to any more. */
async function replaceContents(db: Db, changed: readonly Changed[], now: Date): Promise<string[]> {
  // A file that was only touched has the content that it had.
  const replaced = await store.filterReplaced(
    db,
    changed.map(({ assetId, read: { sha256 } }) => ({ assetId, sha256 })),
  );
  for (const { assetId, file, read } of changed) {
    const fileModifiedAt = toDate(file);
    const { sha256, sha1, size: fileSize } = read;
    await store.updateContent(db, assetId, { sha256, sha1, fileSize, fileModifiedAt }, now);
  }
  const clips = await releaseClips(db, replaced, now);
  if (clips.length > 0) await deleteAssetsWithFiles(db, clips);
  return forgetContent(db, replaced);
}

const requireMediaType = (path: string) => requireValue(getMediaType(path), `type of ${path}`);

/** Moves the items of files that were missed; returns the other files. */
async function moveItems(
  db: Db,
  library: LibraryRow,
  files: readonly ReadUnread[],
  now: Date,
): Promise<ReadUnread[]> {
  const digests = files.map(({ read }) => toHex(read.sha256));
  const missed = await store.filterUnseenContents(db, library.id, digests);
  const remaining: ReadUnread[] = [];
  for (const one of files) {
    const isMoved = missed.has(toHex(one.read.sha256)) && (await moveItem(db, library, one, now));
    if (!isMoved) remaining.push(one);
  }
  return remaining;
}

/** A file that was missed is here: its item, with albums and faces, moves. */
async function moveItem(
  db: Db,
  { id: libraryId }: LibraryRow,
  { file, read }: ReadUnread,
  now: Date,
): Promise<boolean> {
  if (file.assetId !== null) return false;
  const gone = await store.lockUnseenFileByContent(db, libraryId, read.sha256);
  if (!gone) return false;
  await store.moveFile(db, gone.id, file);
  await store.moveAsset(db, gone.assetId, toPlace(file), now);
  return true;
}

const toPlace = ({ path }: store.UnreadFile): store.FilePlace => ({
  folder: dirname(path),
  fileName: basename(path),
});

const toDate = ({ modifiedUs }: store.UnreadFile): Date => new Date(Math.floor(modifiedUs / 1000));

/** Until its metadata is read, a file was taken when its export says, or when it was changed. */
function toAsset(
  library: LibraryRow,
  { file, read, facts, newId }: ReadUnread,
  { zone, now }: { readonly zone: string | null; readonly now: Date },
): NewItem {
  const modifiedAt = toDate(file);
  const takenAt = facts.takenAt ?? modifiedAt;
  return {
    id: newId,
    ownerId: library.ownerId,
    libraryId: library.id,
    ...toPlace(file),
    type: requireMediaType(file.path),
    sha256: read.sha256,
    sha1: read.sha1,
    fileSize: read.size,
    isFavorite: facts.isFavorite ?? false,
    visibility: facts.visibility === 'archive' ? 'archive' : 'timeline',
    lockedAt: facts.visibility === 'locked' ? now : null,
    takenAt,
    localTakenAt: toLocalTime(takenAt, zone),
    fileModifiedAt: modifiedAt,
  };
}
