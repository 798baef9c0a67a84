import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import type { DataPaths } from '../../../core/paths.ts';
import type { FilmOperation } from './kind.ts';
import * as storage from '../../../storage/index.ts';

// Each export has a folder: 'film.mp4' once it is complete, and 'work' while it is made.

const getFolders = (paths: DataPaths): string => join(paths.studio, 'exports');

const getExportFolder = (paths: DataPaths, id: string): string => join(getFolders(paths), id);

export const getFilmPath = (paths: DataPaths, id: string): string =>
  join(getExportFolder(paths, id), 'film.mp4');

export const getWorkFolder = (paths: DataPaths, id: string): string =>
  join(getExportFolder(paths, id), 'work');

/** Has the object store keep the complete film, where there is one. Returns its key. */
export const storeFilm = (
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  id: string,
): Promise<string | undefined> =>
  storage.put(deps, getFilmPath(deps.paths, id), {
    store: 'exports',
    id,
    kind: 'film',
    extension: 'mp4',
  });

/** A complete film. */
export const toStoredFile = (paths: DataPaths, { id, file }: FilmOperation): storage.StoredFile =>
  storage.exportFile(paths, { path: getFilmPath(paths, id), objectKey: file.objectKey });

/** Nobody but us looks into it. */
export async function makeWorkFolder(paths: DataPaths, id: string): Promise<string> {
  const folder = getWorkFolder(paths, id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export const removeExportFolder = (paths: DataPaths, id: string): Promise<void> =>
  remove(getExportFolder(paths, id));

export const removeWorkFolder = (paths: DataPaths, id: string): Promise<void> =>
  remove(getWorkFolder(paths, id));

const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 });

/** Returns the exports that have a folder. */
export const listExportFolders = (paths: DataPaths): Promise<string[]> =>
  readdir(getFolders(paths)).catch(() => []);
