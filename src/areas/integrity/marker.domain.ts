import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../core/context.ts';
import type { DataPaths } from '../../core/paths.ts';
import { getInstanceId } from './originals.store.ts';
import { hasCompletedScan } from './store.ts';

// A file in the folder of the originals tells that it is the one of this library: below a disk that is not
// mounted lies an empty folder, or that of another library.

/** Name of the file in the folder of the originals. */
export const MARKER = '.safelight';

const getMarkerPath = ({ originals }: DataPaths) => join(originals, MARKER);

/** Throws when the folder of the originals is not the one that the last check has seen. */
export async function requireOriginals({ db, paths }: Pick<Deps, 'db' | 'paths'>): Promise<void> {
  if (!(await hasCompletedScan(db, 'missing_file'))) return;
  const found = await readFile(getMarkerPath(paths), 'utf8').catch(() => '');
  if (found.trim() === (await getInstanceId(db))) return;
  throw new Error(
    `${paths.originals} is not the folder of this library: is its disk mounted? ` +
      `If it is, 'safelight maintenance verify' accepts it`,
  );
}

/** Makes the folder of the originals the one that checks expect from now on. */
export async function acceptOriginals({ db, paths }: Pick<Deps, 'db' | 'paths'>): Promise<void> {
  await writeFile(getMarkerPath(paths), `${await getInstanceId(db)}\n`);
}
