import type { Deps } from '../../core/context.ts';
import { getLeastFreeBytes } from '../../core/disk-reserve.ts';
import { listFaults } from '../../jobs/faults.store.ts';
import type { Problem } from '../../maintenance/server-state.ts';
import { findFolderFault, getFolderFault } from '../../storage/disks.ts';
import { listLibraryFolders, getStoreFault } from '../../storage/index.ts';
import { formatBytes } from '../../core/byte-format.ts';

/** Returns what hinders a library that is served. Rejects when the database cannot be asked. */
export async function findProblems({
  db,
  paths,
  settings,
}: Pick<Deps, 'db' | 'paths' | 'settings'>): Promise<Problem[]> {
  const problems: Problem[] = [];
  const fault = getStoreFault(paths);
  if (fault === undefined) problems.push(...findFullDisk(paths, settings));
  else problems.push({ kind: 'wrongStore', text: fault });
  const folderFault = getFolderFault(paths) && (await findFolderFault(paths));
  if (folderFault !== undefined) problems.push({ kind: 'machineFault', text: folderFault });
  for (const { job, error } of await listFaults(db)) {
    const text = `Jobs ${job} wait until the machine can run them: ${error}`;
    problems.push({ kind: 'machineFault', text });
  }
  return problems;
}

function findFullDisk(paths: Deps['paths'], { reserveBytes }: Deps['settings']): Problem[] {
  const free = getLeastFreeBytes(...listLibraryFolders(paths));
  if (free >= reserveBytes) return [];
  const text = `The disk is full: ${formatBytes(free)} are free, uploads go on with ${formatBytes(reserveBytes)}`;
  return [{ kind: 'diskFull', text }];
}
