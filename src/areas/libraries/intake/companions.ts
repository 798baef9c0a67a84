import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';
import {
  type Digests,
  type Incoming,
  isPlainPath,
  openIncoming,
} from '../../../media/originals.ts';
import {
  createSidecarFinder,
  type Facts,
  type FolderFacts,
  readFolderFacts,
} from '../../imports/index.ts';

/** The files beside a photo or video that tell about it. */
export type Companions = {
  /** Of an export of Google Photos or iCloud. */
  readonly facts: Facts;
  readonly sidecarPath: string | undefined;
};

type FolderReader = {
  readonly facts: FolderFacts;
  readonly findSidecar: (name: string) => string | undefined;
};

/** Returns a function that finds the companions of files; each folder is read once. */
export function createCompanionFinder(): (path: string) => Promise<Companions> {
  const folders = new Map<string, Promise<FolderReader>>();
  return async (path) => {
    const folder = dirname(path);
    let reader = folders.get(folder);
    if (!reader) folders.set(folder, (reader = readFolder(folder)));
    const { facts, findSidecar } = await reader;
    const sidecarPath = findSidecar(basename(path));
    return {
      facts: (await facts.find(basename(path))) ?? {},
      sidecarPath: sidecarPath && (await isPlainPath(sidecarPath)) ? sidecarPath : undefined,
    };
  };
}

/** Links are not told: they could lead anywhere. */
async function readFolder(path: string): Promise<FolderReader> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return {
    facts: await readFolderFacts({ path, names }, { namesAlbums: false }),
    findSidecar: createSidecarFinder(path, names),
  };
}

export type Sidecar = { readonly file: Incoming; readonly digests: Digests };

/** As many as an upload may have. */
const MAX_SIDECAR_BYTES = 10 * 1024 ** 2;

/** Copies a sidecar to our incoming files; undefined for one that is larger than a sidecar, or empty. */
export async function copySidecar(paths: DataPaths, path: string): Promise<Sidecar | undefined> {
  const { size } = await stat(path);
  if (size === 0 || size > MAX_SIDECAR_BYTES) return undefined;
  const file = await openIncoming(paths);
  try {
    await file.write(await readFile(path));
    const digests = await file.finish();
    await file.sync();
    return { file, digests };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
