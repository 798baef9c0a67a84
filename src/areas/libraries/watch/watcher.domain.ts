import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../../../core/context.ts';
import { readConfig } from '../../system-config/index.ts';
import { createAsyncEvent } from '../../../jobs/async-event.ts';
import { listLibraries, updateLibrary } from '../store.ts';
import { type LibraryWatch, watchLibrary, type WatchOptions } from './library-watch.domain.ts';
import { listMounts } from './mounts.ts';

type WatcherOptions = WatchOptions & {
  /** Whether this process is the one of several that watches. */
  readonly isWanted: () => boolean;
  /** Milliseconds between two looks at the configuration, the libraries and the mounts. */
  readonly refreshMs: number;
  /** Milliseconds between two looks at the events. */
  readonly eventsMs: number;
};

const DEFAULTS: WatcherOptions = {
  isWanted: () => true,
  refreshMs: 5_000,
  eventsMs: 500,
  pollMs: 10 * 60_000,
  quietMs: 2_000,
  maxWaitMs: 30_000,
};

/** Watches the files of all libraries while the configuration says so. */
export function startWatcher(
  deps: Deps,
  options: Partial<WatcherOptions> = {},
): { stop(): Promise<void> } {
  const all = { ...DEFAULTS, ...options };
  const watches = new Map<string, { readonly subject: unknown; readonly watch: LibraryWatch }>();
  const stopping = createAsyncEvent();
  let isStopping = false;

  async function close(id: string): Promise<void> {
    await watches.get(id)?.watch.close();
    watches.delete(id);
    await updateLibrary(deps.db, id, { watchMode: 'off', watchReason: null });
  }

  /** A library that has changed, or whose disks have, is watched anew. */
  async function refresh(): Promise<void> {
    const { watch } = (await readConfig(deps.db, 'library')).library;
    const libraries = watch.enabled && all.isWanted() ? await listLibraries(deps.db) : [];
    const wanted = new Map(libraries.map(({ library }) => [library.id, library]));
    for (const id of watches.keys()) if (!wanted.has(id)) await close(id);
    for (const [id, library] of wanted) {
      const { importPaths, exclusionPatterns } = library;
      const mounts = await Promise.all(importPaths.map(listMounts));
      const subject = { importPaths, exclusionPatterns, mounts };
      const known = watches.get(id);
      if (known && isDeepStrictEqual(known.subject, subject) && !known.watch.isOver()) continue;
      await known?.watch.close();
      watches.set(id, { subject, watch: watchLibrary(deps, library, mounts, all) });
    }
  }

  async function loop(): Promise<void> {
    let refreshAt = 0;
    while (!isStopping) {
      try {
        if (performance.now() >= refreshAt) {
          refreshAt = performance.now() + all.refreshMs;
          await refresh();
        }
        for (const { watch } of watches.values()) await watch.poll();
      } catch (error) {
        if (!isStopping) deps.log.error('watching libraries failed', { error });
      }
      await stopping.wait(watches.size > 0 ? all.eventsMs : all.refreshMs);
    }
    for (const id of watches.keys()) await close(id);
  }

  const looping = loop();
  return {
    async stop() {
      isStopping = true;
      stopping.notify();
      await looping.catch((error: unknown) =>
        deps.log.error('watching libraries did not stop cleanly', { error }),
      );
    },
  };
}
