import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { findObjectStore, ForeignStore, proveObjectStore } from './objects.ts';
import {
  findStoreFault,
  getStoreFault,
  identifyStores,
  openStores,
  setObjectFault,
} from './library-folders.ts';

const CHECK_MS = 2000;

/**
 * Looks after the folders of a library that is served, and its object store: requests are refused while they are not its
 * own. Calls `begin` once, when the folders are for the first time.
 */
export function watchStores(deps: Deps, begin: () => void): { readonly stop: () => void } {
  let last = getStoreFault(deps.paths);
  let hasBegun = last === undefined;
  if (hasBegun) begin();
  const judge = createJudge(deps);
  const check = unlessRunning(async () => {
    const fault = await (last === undefined ? findStoreFault(deps) : judge());
    if (fault !== undefined && fault !== last) deps.log.error('storage lost', { reason: fault });
    if (fault === undefined && last !== undefined) deps.log.info('storage is back');
    last = fault;
    if (fault !== undefined || hasBegun) return;
    hasBegun = true;
    begin();
  });
  const checkObjects = unlessRunning(createObjectCheck(deps));
  const timer = setInterval(() => {
    for (const checking of [check(), checkObjects()]) {
      checking.catch((error: unknown) => deps.log.warn('checking the storage failed', { error }));
    }
  }, CHECK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** A disk or a database that hangs is asked once. */
function unlessRunning(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    await work().finally(() => (isRunning = false));
  };
}

/** For the same folders; it doubles up to the longest. */
const FIRST_PAUSE_MS = 4000;
const MAX_PAUSE_MS = 60_000;

/**
 * Returns a function that judges folders again that were refused. It reads their marks each time, and asks the database,
 * which may have to look through its tables, when they are other folders or after a pause.
 */
export function createJudge(
  deps: Deps,
  getTime = () => performance.now(),
): () => Promise<string | undefined> {
  let folders: string | undefined;
  let pauseMs = 0;
  let judgedAt = 0;
  return async () => {
    const found = await identifyStores(deps.paths);
    const isSame = found === folders;
    if (isSame && getTime() - judgedAt < pauseMs) return findStoreFault(deps);
    pauseMs = isSame ? Math.min(MAX_PAUSE_MS, 2 * pauseMs) : FIRST_PAUSE_MS;
    folders = found;
    judgedAt = getTime();
    return openStores(deps);
  };
}

/** Asks the object store until it has proven to be that of the library: afterwards this process goes on to believe it. */
function createObjectCheck(deps: Deps): () => Promise<void> {
  let isOver = !findObjectStore(deps.settings);
  return async () => {
    if (isOver) return;
    try {
      isOver = await proveObjectStore(deps);
      setObjectFault(deps.paths, undefined);
    } catch (error) {
      if (error instanceof ForeignStore) setObjectFault(deps.paths, error.reason);
      // While it is away, what this machine has is served.
      else if (!(error instanceof StorageUnavailable)) throw error;
    }
  };
}
