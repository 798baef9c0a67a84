import type { JobHandler } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { deleteClosed } from '../streams/store.ts';
import { listRenderFolders, removeRenderFolder } from './files.ts';
import { type cleanStudio, renderFrame } from './jobs.ts';
import * as store from './store.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import * as files from '../../../operations/files.store.ts';
import { deleteFinished, listAbandoned } from '../../../operations/store.ts';
import { withdrawUnseen } from '../exports/domain.ts';
import { failExport } from '../exports/end.domain.ts';
import { listExportFolders, removeExportFolder } from '../exports/files.ts';
import { filmKind, KEPT_MS } from '../exports/kind.ts';
import { rankWaiting } from '../exports/store.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { REMEMBERED } from '../render/remembered.ts';
import { listUnusedHashes } from '../sources/store.ts';

const HOUR_MS = 60 * 60_000;
/** After this nobody comes back for a preview. */
const FORGOTTEN_MS = 6 * HOUR_MS;
/** So long the receipt of a frame can be read. */
const RECEIPT_MS = 24 * HOUR_MS;

export const handleCleanStudio: JobHandler<typeof cleanStudio> = async (ctx) => {
  const now = ctx.now();
  const before = (ms: number) => new Date(now.getTime() - ms);
  const unwanted = await store.retireForgotten(ctx.db, before(FORGOTTEN_MS), now);
  await enqueueMany(
    ctx.db,
    renderFrame,
    unwanted.map((renderId) => ({ renderId })),
  );
  await store.deleteReleased(ctx.db, before(RECEIPT_MS));
  await deleteClosed(ctx.db, before(HOUR_MS));
  const folders = await listRenderFolders(ctx.paths);
  for (const id of await store.listUnknownRenders(ctx.db, folders))
    await removeRenderFolder(ctx.paths, id);
  await cleanExports(ctx);
  await removeUnused(ctx);
};

/** Deletes exports that ended long ago, those that their accounts may not have any more, and the folders that none needs. */
async function cleanExports({ db, paths, ...deps }: Deps): Promise<void> {
  const now = deps.now();
  for (const id of await listAbandoned(db, filmKind))
    await db.transaction((db) => failExport(db, id, { error: 'The export was interrupted' }, now));
  await rankWaiting(db);
  await deleteFinished(db, filmKind, new Date(now.getTime() - KEPT_MS));
  for (const accountId of await files.listAccountsWithDownloads(db, [filmKind])) {
    const session = await findAccountSession(db, accountId);
    if (session) await withdrawUnseen({ db, paths }, session);
  }
  await files.forgetSources(db, [filmKind]);
  // Listed first: a row is there before its folder.
  const folders = await listExportFolders(paths);
  const needed = await files.findNeeded(db, folders);
  for (const id of folders) if (!needed.has(id)) await removeExportFolder(paths, id);
}

/** Deletes what is remembered of videos that no asset is any more. */
async function removeUnused({ db, paths }: Pick<Deps, 'db' | 'paths'>): Promise<void> {
  for (const folder of OLD_INDEXES)
    await rm(join(paths.studio, folder), { recursive: true, force: true });
  for (const name of REMEMBERED) {
    const top = join(paths.studio, name);
    for (const slice of await listNames(top)) {
      const files = (await listNames(join(top, slice))).map((file) => ({
        path: join(top, slice, file),
        hash: file.slice(0, 64),
      }));
      const unused = new Set(
        await listUnusedHashes(db, files.map(({ hash }) => hash).filter(isHash)),
      );
      for (const { path, hash } of files) if (unused.has(hash)) await rm(path, { force: true });
    }
  }
}

/** Written before the times of key frames, and where videos can be cut, were in them. */
const OLD_INDEXES = ['indexes', 'frame-times'];

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
