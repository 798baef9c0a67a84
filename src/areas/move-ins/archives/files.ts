import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { ignoreMissing, syncPath } from '../../../media/file-placement.ts';
import { unavailable } from '../../../core/errors.ts';
import { requireNoOtherHolder } from '../../../nodes/servers.ts';
import { getStagingId } from '../../../staging/staging.ts';
import type { ImportNote } from '../../imports/index.ts';
import type { ArchivesMoveIn } from '../kind.ts';

// Archives, and what they are unpacked to, lie in a folder for each move, beside unfinished uploads.

export const getArchivesRoot = ({ incoming }: Pick<DataPaths, 'incoming'>): string =>
  join(incoming, 'archives');

export const getMoveFolder = (paths: Pick<DataPaths, 'incoming'>, id: string): string =>
  join(getArchivesRoot(paths), id);

export const getPartPath = (paths: DataPaths, id: string, index: number): string =>
  join(getMoveFolder(paths, id), `${index}.zip`);

/** The folder of what is unpacked. */
export const getUnpackedPath = (paths: DataPaths, id: string): string =>
  join(getMoveFolder(paths, id), 'files');

export const removeArchives = (paths: DataPaths, id: string): Promise<void> =>
  rm(getMoveFolder(paths, id), { recursive: true, force: true });

/** Returns the ids of the moves that have files here. */
export const listMoveFolders = (paths: DataPaths): Promise<string[]> =>
  readdir(getArchivesRoot(paths)).catch((error: unknown) => {
    ignoreMissing(error);
    return [];
  });

/** The entries of an archive that were not unpacked; of whole archives, too. */
export type Left = {
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
  readonly notes: readonly ImportNote[];
};

const getListPath = (paths: DataPaths, id: string, index: number): string =>
  join(getMoveFolder(paths, id), `${index}.json`);

/** Keeps them for the report of the import, which begins anew. */
export async function saveLeft(
  paths: DataPaths,
  id: string,
  index: number,
  left: Left,
): Promise<void> {
  const path = getListPath(paths, id, index);
  await writeFile(path, JSON.stringify(left), { flush: true, mode: 0o600 });
  await syncPath(dirname(path));
}

export const readLeft = async (paths: DataPaths, id: string, index: number): Promise<Left> =>
  JSON.parse(await readFile(getListPath(paths, id, index), 'utf8')) as Left;

type Payload = Pick<ArchivesMoveIn['payload'], 'stagingId'>;

/** Whether the files are in the folder of this process. */
export function areHere({ paths }: Pick<Deps, 'paths'>, { stagingId }: Payload): boolean {
  const own = getStagingId(paths);
  return own === undefined || stagingId === null || stagingId === own;
}

/** Returns whether this server has the files; not: they are gone with another. Throws HeldElsewhere. */
export async function requireNotElsewhere(deps: Deps, payload: Payload): Promise<boolean> {
  if (areHere(deps, payload)) return true;
  await requireNoOtherHolder(deps, (node) => node.stagingId === payload.stagingId);
  return false;
}

const RETRY_SECONDS = 5;

/** Throws HeldElsewhere, or 503 while the server that has the files is away. */
export async function requireHere(deps: Deps, payload: Payload): Promise<void> {
  if (await requireNotElsewhere(deps, payload)) return;
  throw unavailable('The server that has these files is away', RETRY_SECONDS);
}
