import type { Deps } from '../../../core/context.ts';
import { requireValue } from '../../../core/required.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { scanFolders, scanLibrary } from '../jobs.ts';
import { isBeingScanned, updateLibrary } from '../store.ts';
import { type ChangedFolders, createChangedFolders, type Debounce } from './changed-folders.ts';
import { WatchLimitError } from './inotify.ts';
import { isRemote, type Mount } from './mounts.ts';
import { type TreeWatch, UnreachableFolderError, watchTree } from './tree-watch.ts';

export type LibraryWatch = {
  /** Enqueues scans of folders that have changed. */
  poll(): Promise<void>;
  /** True when it has to be made anew, which scans the library: its folder is gone, or it is polled. */
  isOver(): boolean;
  close(): Promise<void>;
};

export type WatchOptions = Debounce & {
  /** Milliseconds between two scans of a library that cannot be watched. */
  readonly pollMs: number;
};

type Watched = { readonly tree: TreeWatch; readonly changed: ChangedFolders };

/** Folders per job. */
const FOLDERS_PER_JOB = 100;

/** Watches a library: its folders by events of the system, or, where there are none, by scans. */
export function watchLibrary(
  deps: Deps,
  library: LibraryRow,
  mounts: readonly (readonly Mount[])[],
  options: WatchOptions,
): LibraryWatch {
  const { db, log } = deps;
  const { id: libraryId, importPaths, exclusionPatterns } = library;
  const stopped = new AbortController();
  const watched: Watched[] = [];
  let overAt = Infinity;

  /** Returns why a folder cannot be watched. */
  async function watchRoot(root: string, mounts: readonly Mount[]): Promise<string | undefined> {
    const remote = mounts.find(isRemote);
    if (remote) return `${remote.path} is a file system that other machines change: ${remote.type}`;
    const changed = createChangedFolders(root, options);
    const onChange = (path: string, isDeep: boolean) =>
      changed.add(path, isDeep, performance.now());
    try {
      const tree = await watchTree(root, { exclusionPatterns, onChange }, stopped.signal);
      watched.push({ tree, changed });
      return undefined;
    } catch (error) {
      if (error instanceof UnreachableFolderError) return error.message;
      if (!(error instanceof WatchLimitError)) throw error;
      return `${root} has too many folders: ${error.message}`;
    }
  }

  async function open(): Promise<void> {
    const reasons: string[] = [];
    for (const [index, root] of importPaths.entries()) {
      const reason = await watchRoot(root, requireValue(mounts[index], `mount of ${root}`));
      if (reason) reasons.push(reason);
    }
    const watchReason = reasons.join('\n') || null;
    const watchMode = watchReason ? 'polling' : 'events';
    await updateLibrary(db, libraryId, { watchMode, watchReason });
    if (watchReason) overAt = performance.now() + options.pollMs;
    if (watchReason && watchReason !== library.watchReason) {
      log.warn('a library cannot be watched, polling instead', { libraryId, watchReason });
    }
    if (!watchReason) log.info('watching a library', { libraryId, importPaths });
    // The scan finds changes from before it was watched; a slow one of a polled library is not followed by another
    // at once.
    if (!watchReason || !(await isBeingScanned(db, libraryId))) {
      await enqueue(db, scanLibrary, { libraryId });
    }
  }

  const opening = open().catch((error: unknown) => {
    if (stopped.signal.aborted) return;
    log.error('a library cannot be watched, trying again', { libraryId, error });
    overAt = performance.now() + options.pollMs;
  });

  return {
    async poll() {
      for (const { tree, changed } of watched) {
        if (!tree.poll()) overAt = 0;
        const folders = changed.take(performance.now());
        for (let at = 0; at < folders.length; at += FOLDERS_PER_JOB) {
          const part = folders.slice(at, at + FOLDERS_PER_JOB);
          await enqueue(db, scanFolders, { libraryId, folders: part });
        }
      }
    },
    isOver: () => performance.now() >= overAt,
    async close() {
      stopped.abort();
      await opening;
      for (const { tree } of watched) await tree.close();
    },
  };
}
