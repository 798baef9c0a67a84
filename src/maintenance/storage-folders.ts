import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import type { DataPaths } from '../core/paths.ts';

export const STORAGE_FOLDERS = [
  'encoded-video',
  'library',
  'upload',
  'profile',
  'thumbs',
  'backups',
] as const;

/** Immich's folders, and ours that hold the same. */
const toPath = (paths: DataPaths, folder: (typeof STORAGE_FOLDERS)[number]): string =>
  ({
    'encoded-video': paths.derived,
    library: paths.originals,
    upload: paths.incoming,
    profile: paths.profiles,
    thumbs: paths.derived,
    backups: paths.backups,
  })[folder];

/** Returns what an installation has left in the data folder; `files` counts the entries of a folder. */
export const detectInstall = async (paths: DataPaths) => ({
  storage: await Promise.all(
    STORAGE_FOLDERS.map(async (folder) => {
      const path = toPath(paths, folder);
      const entries = await readdir(path).catch(() => []);
      return {
        folder,
        files: entries.length,
        readable: await isAllowed(path, constants.R_OK),
        writable: await isAllowed(path, constants.W_OK),
      };
    }),
  ),
});

const isAllowed = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
