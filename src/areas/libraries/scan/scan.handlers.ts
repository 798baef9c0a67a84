import { isPlainPath } from '../../../core/guarded-path.ts';
import type { Db } from '../../../db/client.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { enqueue, enqueueAll, enqueueMany, toJobInsert } from '../../../jobs/queue.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { isInside } from '../import-path.ts';
import { takeOutSidecars } from '../intake/gone-sidecars.domain.ts';
import {
  type scanLibraries,
  scanFolders,
  scanLibrary,
  settleLibrary,
  type trashMissing,
} from '../jobs.ts';
import { findLibrary, listLibraries, updateLibrary } from '../store.ts';
import { listMounts } from '../watch/mounts.ts';
import { applyLeftOut } from './left-out.domain.ts';
import { restoreReturned, trashLongMissing } from './missing.domain.ts';
import {
  createFindings,
  enqueueUnread,
  explainFault,
  type Findings,
  findRootFault,
  markUnseen,
  recordFolder,
} from './record.domain.ts';
import { settleLibrary as settle } from './settle.domain.ts';
import { filterWithFiles, listBare } from './settle.store.ts';

/** Seconds until a folder is scanned again in which files were being written. */
const BUSY_SECONDS = 10;
/** Seconds until it is looked again whether all files have been read. */
const UNREAD_SECONDS = 2;

export const handleScanLibraries: JobHandler<typeof scanLibraries> = async ({ db }) => {
  const found = await listLibraries(db);
  await enqueueMany(
    db,
    scanLibrary,
    found.map(({ library }) => ({ libraryId: library.id })),
  );
};

/**
 * Compares the files of a library with those that are known. Each step can be repeated: a scan that was
 * interrupted is run again. What could not be seen says nothing about files.
 */
export const handleScanLibrary: JobHandler<typeof scanLibrary> = async (ctx, { libraryId }) => {
  const library = (await findLibrary(ctx.db, libraryId))?.library;
  if (!library) return undefined;
  const findings = createFindings();
  const { report } = findings;
  const unreachable: string[] = [];
  for (const root of library.importPaths) {
    const fault = await findRootFault(ctx, root);
    if (fault) {
      report.faults.push(fault);
      unreachable.push(root);
    } else await recordFolder(ctx, library, { path: root, isDeep: true }, findings);
  }
  const mounts = await filterWithFiles(ctx.db, libraryId, await listMountPoints(library));
  await markUnseen(ctx, library, findings, { unreachable });
  await applyLeftOut(ctx, libraryId);
  for (const bare of await listBare(ctx.db, libraryId, [...library.importPaths, ...mounts])) {
    report.faults.push(describeBare(bare));
  }
  await takeOutSidecars(ctx, library);
  await enqueueUnread(ctx, libraryId, findings);
  const scanError = report.faults.map(explainFault).join('\n') || null;
  const scanNote = report.notes.join('\n') || null;
  if (scanError)
    ctx.log.warn('a library could not be scanned completely', { libraryId, scanError });
  return async (db) => {
    await updateLibrary(db, libraryId, {
      scanError,
      scanNote,
      mounts,
      ...(!scanError && { refreshedAt: ctx.now() }),
    });
    await enqueueFollowing(db, libraryId, findings);
  };
};

const describeBare = ({ path, files }: { readonly path: string; readonly files: number }): string =>
  `${path} has none of its ${files} files any more: its disk may not be mounted`;

/** Returns the mount points below the import paths of a library: now, and at earlier scans. */
async function listMountPoints({ importPaths, mounts }: LibraryRow): Promise<string[]> {
  const found = (await Promise.all(importPaths.map(listMounts))).flat().map(({ path }) => path);
  return [...new Set([...mounts, ...found])].filter((path) =>
    importPaths.some((root) => path !== root && isInside(root, path)),
  );
}

/** The same for folders in which something has changed. What cannot be seen is left to the next scan. */
export const handleScanFolders: JobHandler<typeof scanFolders> = async (
  ctx,
  { libraryId, folders },
) => {
  const library = (await findLibrary(ctx.db, libraryId))?.library;
  if (!library) return undefined;
  const findings = createFindings();
  const seenFolders: typeof folders = [];
  for (const folder of folders) {
    const root = library.importPaths.find((path) => isInside(path, folder.path));
    if (!root) continue;
    const fault = await findRootFault(ctx, root);
    if (fault) {
      findings.report.faults.push(fault);
      continue;
    }
    if (await isPlainPath(folder.path)) await recordFolder(ctx, library, folder, findings);
    seenFolders.push(folder);
  }
  const { faults } = findings.report;
  if (faults.length > 0) ctx.log.warn('folders could not be scanned', { libraryId, faults });
  for (const folder of seenFolders) {
    await markUnseen(ctx, library, findings, { folder });
    await takeOutSidecars(ctx, library, folder);
  }
  await enqueueUnread(ctx, libraryId, findings);
  return (db) => enqueueFollowing(db, libraryId, findings);
};

async function enqueueFollowing(
  db: Db,
  libraryId: string,
  { busyFolders }: Findings,
): Promise<void> {
  await enqueue(db, settleLibrary, { libraryId });
  if (busyFolders.size === 0) return;
  const folders = [...busyFolders].map((path) => ({ path, isDeep: false }));
  const job = toJobInsert(scanFolders, { libraryId, folders });
  await enqueueAll(db, [{ ...job, delay: BUSY_SECONDS }]);
}

/** Waits for the files that are being read. */
export const handleSettleLibrary: JobHandler<typeof settleLibrary> = async (ctx, { libraryId }) => {
  await runThrottled(ctx, () => restoreReturned(ctx, libraryId));
  return async (db) => {
    const isSettled = await settle(db, libraryId, ctx.now());
    if (isSettled) return;
    const job = toJobInsert(settleLibrary, { libraryId });
    await enqueueAll(db, [{ ...job, delay: UNREAD_SECONDS }]);
  };
};

export const handleTrashMissing: JobHandler<typeof trashMissing> = (ctx) =>
  runThrottled(ctx, () => trashLongMissing(ctx));
