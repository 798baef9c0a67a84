import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { errorBody } from '../http/error-body.ts';
import { findObjectStore } from './configured-store.ts';
import { ForeignStore, proveObjectStore } from './object-originals.ts';
import { findStoreFault, getStoreFault, openStores, setObjectFault } from './stores.ts';

const CHECK_MS = 2000;

/**
 * Looks after the folders of a library that is served, and its object store: requests are refused while they are not its
 * own. Calls `begin` once, when the folders are for the first time.
 */
export function watchStores(deps: Deps, begin: () => void): { readonly stop: () => void } {
  let last = getStoreFault(deps.paths);
  let hasBegun = last === undefined;
  if (hasBegun) begin();
  const check = async () => {
    const fault = await (last === undefined ? findStoreFault(deps) : openStores(deps));
    if (fault !== undefined && fault !== last) deps.log.error('storage lost', { reason: fault });
    if (fault === undefined && last !== undefined) deps.log.info('storage is back');
    last = fault;
    if (fault !== undefined || hasBegun) return;
    hasBegun = true;
    begin();
  };
  const checkObjects = createObjectCheck(deps);
  const timer = setInterval(() => {
    for (const checking of [check(), checkObjects()]) {
      checking.catch((error: unknown) => deps.log.warn('checking the storage failed', { error }));
    }
  }, CHECK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Asks the object store until it has proven to be that of the library: afterwards this process goes on to believe it. */
function createObjectCheck(deps: Deps): () => Promise<void> {
  let isOver = !findObjectStore(deps.settings);
  let isRunning = false;
  return async () => {
    if (isOver || isRunning) return;
    isRunning = true;
    try {
      isOver = await proveObjectStore(deps);
      setObjectFault(deps.paths, undefined);
    } catch (error) {
      if (error instanceof ForeignStore) setObjectFault(deps.paths, error.reason);
      // While it is away, what this machine has is served.
      else if (!(error instanceof StorageUnavailable)) throw error;
    } finally {
      isRunning = false;
    }
  };
}

/** These work without the files of the library; one of them restores the database that the files belong to. */
const SERVED = /^\/api\/(server\/|admin\/(maintenance|database-backups)(\/|$))/;

/** Returns the refusal of a request to the API while the folders are not those of the library. */
export function refuseWithoutStores(paths: DataPaths, request: Request): Response | undefined {
  const fault = getStoreFault(paths);
  if (fault === undefined) return undefined;
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith('/api/') || SERVED.test(pathname)) return undefined;
  const { message, headers, code } = new StorageUnavailable(fault);
  return Response.json(errorBody(request, 503, message, {}, code), { status: 503, headers });
}
