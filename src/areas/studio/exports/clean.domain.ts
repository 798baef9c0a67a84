import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { KEPT_MS, withdrawUnseen } from './domain.ts';
import { failExport } from './end.domain.ts';
import { listExportFolders, removeExportFolder } from './files.ts';
import * as store from './store.ts';

/** Deletes exports that ended long ago, those that their accounts may not have any more, and the folders that none needs. */
export async function cleanExports({ db, paths, ...deps }: Deps): Promise<void> {
  const now = deps.now();
  for (const id of await store.listAbandoned(db))
    await db.transaction((db) => failExport(db, id, 'The export was interrupted', now));
  await store.rankWaiting(db);
  await store.deleteEnded(db, new Date(now.getTime() - KEPT_MS));
  for (const accountId of await store.listAccountsWithFilms(db)) {
    const session = await findAccountSession(db, accountId);
    if (session) await withdrawUnseen({ db, paths }, session);
  }
  // Listed first: a row is there before its folder.
  const folders = await listExportFolders(paths);
  for (const id of await store.listUnwanted(db, folders)) await removeExportFolder(paths, id);
}
