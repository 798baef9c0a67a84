import type { Deps } from '../core/context.ts';
import { isWorkAllowed } from '../core/disk-reserve.ts';
import type { Lane } from '../core/lanes.ts';
import type { Log } from '../core/log.ts';
import { listLibraryFolders, findStoreFault } from '../storage/index.ts';
import { joinStores } from '../storage/library-folders.ts';
import type { AsyncEvent } from './async-event.ts';

/** Their jobs write files and rows. The background lane also frees space, so it never waits. */
const NEEDS_SPACE: ReadonlySet<Lane> = new Set(['metadata', 'image', 'video', 'inference']);
const RETRY_MS = 5000;

type StorageCheckOptions = {
  readonly deps: Deps;
  readonly log: Log;
  readonly lane: Lane;
  /** Ends a pause between two attempts. */
  readonly changed: AsyncEvent;
};

export function createStorageCheck({ deps, log, lane, changed }: StorageCheckOptions) {
  let isShort = false;

  const findShortage = (): string | undefined =>
    NEEDS_SPACE.has(lane) &&
    !isWorkAllowed(listLibraryFolders(deps.paths), deps.settings.reserveBytes)
      ? 'low disk space or the data folder cannot be reached'
      : undefined;

  return {
    /** Nothing is claimed before it is known whether the folders are those of the library. */
    async open(isStopping: () => boolean): Promise<void> {
      while (!isStopping()) {
        try {
          return void (await joinStores(deps));
        } catch (error) {
          log.error('the storage cannot be checked', { error });
          await changed.wait(RETRY_MS);
        }
      }
    },
    /** Without the folders of the library, or space in them, jobs wait, which does not count as a failure. */
    async isAvailable(): Promise<boolean> {
      const reason = (await findStoreFault(deps)) ?? findShortage();
      if (reason && !isShort) log.warn('jobs paused', { reason });
      if (!reason && isShort) log.info('jobs resumed: the storage is available again');
      isShort = reason !== undefined;
      return !isShort;
    },
    /** Returns what the last check has found. */
    isShort: () => isShort,
  };
}
