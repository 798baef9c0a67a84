import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import * as files from '../../../operations/files.store.ts';
import { deleteFinished, listAbandoned } from '../../../operations/store.ts';
import { withdrawUnseen } from './domain.ts';
import { failExport } from './end.domain.ts';
import { listExportFolders, removeExportFolder } from './files.ts';
import { filmKind, KEPT_MS } from './kind.ts';
import { rankWaiting } from './store.ts';

/** Deletes exports that ended long ago, those that their accounts may not have any more, and the folders that none needs. */
export async function cleanExports({ db, paths, ...deps }: Deps): Promise<void> {
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
