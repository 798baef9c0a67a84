import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { guardPath } from '../../../core/guarded-path.ts';
import { statLocal } from '../../../storage/index.ts';
import { MAX_SIDECAR_BYTES } from '../../../media/xmp.ts';
import {
  createSidecarFinder,
  type Facts,
  type FolderFacts,
  readFolderFacts,
} from '../../imports/index.ts';
import { compileExclusions } from '../scan/exclusions.ts';
import { copyLocalFile, type LocalCopy } from '../../uploads/index.ts';

/** The files beside a photo or video that tell about it. */
export type Companions = {
  /** The facts of an export of Google Photos or iCloud. */
  readonly facts: Facts;
  readonly sidecarPath: string | undefined;
  /** The photo or video itself is there. */
  readonly isThere: boolean;
};

type FolderReader = {
  readonly names: ReadonlySet<string>;
  readonly facts: FolderFacts;
  readonly findSidecar: (name: string) => string | undefined;
};

export type CompanionFinder = (path: string) => Promise<Companions>;

/** Returns a function that finds the companions of files, but for those left out; each folder is read once. */
export function createCompanionFinder(exclusionPatterns: readonly string[]): CompanionFinder {
  const isExcluded = compileExclusions(exclusionPatterns);
  const folders = new Map<string, Promise<FolderReader>>();
  return async (path) => {
    const folder = dirname(path);
    let reader = folders.get(folder);
    if (!reader) folders.set(folder, (reader = readFolder(folder, isExcluded)));
    const { names, facts, findSidecar } = await reader;
    return {
      facts: (await facts.find(basename(path))) ?? {},
      sidecarPath: findSidecar(basename(path)),
      isThere: names.has(basename(path)),
    };
  };
}

/** Returns the names of the files in a folder. Links are not told: they could lead anywhere. */
export async function listFileNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function readFolder(
  path: string,
  isExcluded: (path: string) => boolean,
): Promise<FolderReader> {
  const names = (await listFileNames(path)).filter((name) => !isExcluded(join(path, name)));
  return {
    names: new Set(names),
    facts: await readFolderFacts({ path, names }, { namesAlbums: false }),
    findSidecar: createSidecarFinder(path, names),
  };
}

/**
 * Copies a sidecar to our incoming files; undefined for one that is larger than a sidecar, empty, gone or
 * behind a link.
 */
export async function copySidecar(deps: Deps, path: string): Promise<LocalCopy | undefined> {
  const found = await statLocal(guardPath(path));
  if (!found || found.size === 0 || found.size > MAX_SIDECAR_BYTES) return undefined;
  const copy = await copyLocalFile(deps, found.path);
  await copy.file.sync();
  return copy;
}
