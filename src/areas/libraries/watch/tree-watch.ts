import { join } from 'node:path';
import { isInside } from '../import-path.ts';
import { compileExclusions, compileFolderExclusions } from '../scan/exclusions.ts';
import { isKnownFile } from '../scan/known-files.ts';
import { listFolders } from '../scan/walk.ts';
import { IN, type FolderEvent, openInotify } from './inotify.ts';

export type TreeWatch = {
  /** Reports what has changed since the last call. Returns false if the root is gone. */
  poll(): boolean;
  close(): Promise<void>;
};

type WatchOptions = {
  readonly exclusionPatterns: readonly string[];
  /** Something has changed in a folder; with `isDeep`, perhaps also in those below it. */
  readonly onChange: (folder: string, isDeep: boolean) => void;
};

/** Folders that are added before others get a turn. */
const BATCH_SIZE = 500;

/** The folder is not there, or may not be read. */
export class UnreachableFolderError extends Error {
  override readonly name = 'UnreachableFolderError';
}

/**
 * Watches a folder and those below it. Throws WatchLimitError if there are too many, and
 * UnreachableFolderError.
 */
export async function watchTree(
  root: string,
  { exclusionPatterns, onChange }: WatchOptions,
  signal: AbortSignal,
): Promise<TreeWatch> {
  const stopped = new AbortController();
  const inotify = openInotify();
  const isExcluded = compileExclusions(exclusionPatterns);
  const isExcludedFolder = compileFolderExclusions(exclusionPatterns);
  const listBelow = (starts: readonly string[]) =>
    listFolders(starts, BATCH_SIZE, {
      exclusionPatterns,
      signal: AbortSignal.any([signal, stopped.signal]),
    });
  const watches = createWatches(inotify, listBelow, isExcludedFolder);
  const added: string[] = [];
  let adding: Promise<void> | undefined;
  let isLost = false;

  function handle({ watch, mask, name }: FolderEvent): void {
    if (mask & IN.overflow) {
      added.push(root);
      onChange(root, true);
      return;
    }
    const folder = watches.folders.get(watch);
    if (folder === undefined) return;
    if (mask & (IN.deleteSelf | IN.moveSelf | IN.unmount | IN.ignored)) {
      if (folder === root) isLost = true;
      if (mask & IN.ignored) watches.folders.delete(watch);
      return;
    }
    if (!name) return;
    const path = join(folder, name);
    if (mask & IN.isFolder) {
      if (isExcludedFolder(path)) return;
      if (mask & (IN.movedFrom | IN.delete)) watches.removeBelow(path);
      if (mask & (IN.movedTo | IN.create)) added.push(path);
      onChange(path, true);
    } else if (isKnownFile(path) && !isExcluded(path)) onChange(folder, false);
  }

  async function addNew(): Promise<void> {
    const starts = added.splice(0);
    await watches.addBelow(starts);
    // Files may have come before their folder was watched.
    for (const path of starts) onChange(path, true);
  }

  const close = async () => {
    stopped.abort();
    await adding;
    inotify.close();
  };
  try {
    await watches.addBelow([root]);
    signal.throwIfAborted();
    if (watches.folders.size === 0) throw new UnreachableFolderError(`${root} cannot be reached`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    poll() {
      for (const event of inotify.read()) handle(event);
      if (added.length > 0 && !adding) {
        adding = addNew()
          .catch(() => {
            // Too many folders, or stopped: opened again, it says why.
            isLost = true;
          })
          .finally(() => {
            adding = undefined;
          });
      }
      return !isLost;
    },
    close,
  };
}

/** The watches of folders, by their numbers. */
function createWatches(
  inotify: ReturnType<typeof openInotify>,
  listBelow: (starts: readonly string[]) => ReturnType<typeof listFolders>,
  isExcluded: (folder: string) => boolean,
) {
  const folders = new Map<number, string>();
  return {
    folders,
    /** Repeats the list until it names no new folder: one may be made before its parent is watched. */
    async addBelow(starts: readonly string[]): Promise<void> {
      const known = new Set<string>();
      for (let isComplete = false; !isComplete;) {
        isComplete = true;
        for await (const paths of listBelow(starts)) {
          for (const path of paths) {
            if (known.has(path)) continue;
            known.add(path);
            isComplete = false;
            if (isExcluded(path)) continue;
            const watch = inotify.add(path);
            if (watch !== undefined) folders.set(watch, path);
          }
          await Bun.sleep(0);
        }
      }
    },
    removeBelow(path: string): void {
      for (const [watch, folder] of folders) {
        if (!isInside(path, folder)) continue;
        folders.delete(watch);
        inotify.remove(watch);
      }
    },
  };
}
