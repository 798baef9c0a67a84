import type { JobHandler } from '../../../jobs/define.ts';
import { expireOperations } from '../../../operations/store.ts';
import type { removeArchives as removeArchivesJob } from '../jobs.ts';
import { moveInKind } from '../kind.ts';
import { ARCHIVES_LIFETIME_MS } from '../prepare.domain.ts';
import { filterNeeded } from '../store.ts';
import { listMoveFolders, removeArchives } from './files.ts';

/** Removes the archives of moves that are over, have expired or are gone, from the folder of this machine. */
export const handleRemoveArchives: JobHandler<typeof removeArchivesJob> = async ({
  db,
  now,
  paths,
  log,
}) => {
  await expireOperations(db, [moveInKind], now());
  // Rows are there before their files: what no row needs now is needed by none.
  const ids = await listMoveFolders(paths);
  const failedSince = new Date(now().getTime() - ARCHIVES_LIFETIME_MS);
  const needed = await filterNeeded(db, ids, failedSince);
  for (const id of ids.filter((id) => !needed.has(id))) {
    await removeArchives(paths, id);
    log.info('removed the archives of a move', { id });
  }
};
