import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { reach } from '../../../core/fault-points.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { syncPath } from '../../../media/file-placement.ts';
import { type ExportFormat, type ExportOperation, getFormat } from './kind.ts';
import * as storage from '../../../storage/index.ts';

// Files of exports lie in one folder, named by the id of the run: '<id>.zip' or '<id>.mp4' once
// complete, '<id>.part' and the folder '<id>.work' before. What no row explains is deleted.

type Run = Pick<ExportOperation, 'id' | 'kind'>;

const PRIVATE = 0o700;
const EXTENSIONS = { archive: 'zip', 'highlight-video': 'mp4' } as const satisfies Record<
  ExportFormat,
  string
>;

export const getExtension = (run: Pick<Run, 'kind'>): string => EXTENSIONS[getFormat(run)];
export const getFilePath = (paths: DataPaths, run: Run): string =>
  join(paths.exports, `${run.id}.${getExtension(run)}`);
export const getPartPath = (paths: DataPaths, id: string): string =>
  join(paths.exports, `${id}.part`);
export const getWorkFolder = (paths: DataPaths, id: string): string =>
  join(paths.exports, `${id}.work`);

/** Nobody but us looks into it, whatever the group may read elsewhere. */
export async function makeExportFolder(paths: DataPaths, folder = paths.exports): Promise<string> {
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  await chmod(paths.exports, PRIVATE);
  return folder;
}

/** Gives the complete and synced part its name: afterwards it survives a power failure. */
export async function placeFile(paths: DataPaths, run: Run): Promise<void> {
  await rename(getPartPath(paths, run.id), getFilePath(paths, run));
  await syncPath(paths.exports);
  reach('export.renamed');
}

/** Has the object store keep the complete file, where there is one. Returns its key. */
export const storeFile = (
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  run: Run,
): Promise<string | undefined> =>
  storage.put(deps, getFilePath(deps.paths, run), {
    store: 'exports',
    id: run.id,
    kind: run.kind,
    extension: getExtension(run),
  });

/** The file of a completed run. */
export const toStoredFile = (paths: DataPaths, run: ExportOperation): storage.StoredFile =>
  storage.exportFile(paths, { path: getFilePath(paths, run), objectKey: run.file.objectKey });

/** Deletes all files of these runs. */
export async function removeFiles(paths: DataPaths, ids: readonly string[]): Promise<void> {
  const endings = [...Object.values(EXTENSIONS), 'part', 'work'];
  const names = ids.flatMap((id) => endings.map((ending) => `${id}.${ending}`));
  for (const name of names) await remove(paths, name);
}

/** Deletes what was needed only to make the file of a run. */
export async function removeIntermediates(paths: DataPaths, id: string): Promise<void> {
  await remove(paths, `${id}.part`);
  await remove(paths, `${id}.work`);
}

const remove = (paths: DataPaths, name: string): Promise<void> =>
  rm(join(paths.exports, name), { recursive: true, force: true, maxRetries: 3 });

const FILE_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(\w+)$/;

export type ExportFile = {
  readonly name: string;
  readonly id: string;
  readonly isComplete: boolean;
};

export async function listExportFiles(paths: DataPaths): Promise<ExportFile[]> {
  const names = await readdir(paths.exports).catch(() => []);
  return names.flatMap((name) => {
    const [, id, ending] = FILE_NAME.exec(name) ?? [];
    const isComplete = ending !== 'part' && ending !== 'work';
    return id === undefined ? [] : [{ name, id, isComplete }];
  });
}

export async function removeListed(paths: DataPaths, files: readonly ExportFile[]): Promise<void> {
  for (const { name } of files) await remove(paths, name);
}
