import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { errorBody } from '../http/error-body.ts';
import { findStoreFault, getStoreFault, openStores } from './stores.ts';

const CHECK_MS = 2000;

/**
 * Looks after the folders of a library that is served: requests are refused while they are not its own. Calls `begin`
 * once, when they are for the first time.
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
  const timer = setInterval(() => {
    check().catch((error: unknown) => deps.log.warn('checking the storage failed', { error }));
  }, CHECK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
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
