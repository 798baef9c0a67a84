import { StorageUnavailable } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { isServerFault } from '../db/errors.ts';
import { errorBody } from './error-body.ts';
import type { Exchange } from './exchange.ts';
import { getStoreFault } from '../storage/index.ts';
import { FileUnavailable } from './send.ts';

// The listener itself answers where the application did not or must not, or where its answer cannot be sent.

const MESSAGES = {
  400: 'Bad request',
  404: 'Not found',
  413: 'The request body is too large',
  500: 'Internal server error',
  503: 'The database cannot be reached',
} as const;

export const errorResponse = (
  { incoming }: Exchange,
  status: keyof typeof MESSAGES,
  message: string = MESSAGES[status],
) => {
  const { method = 'GET', url = '/' } = incoming;
  return Response.json(errorBody({ method, url }, status, message), {
    status,
    ...(status === 503 && { headers: { 'retry-after': '1' } }),
  });
};

/** Returns the status for an error while the response body is read. */
export const getErrorStatus = (error: unknown) =>
  isServerFault(error) || error instanceof StorageUnavailable
    ? 503
    : isMissingFile(error)
      ? 404
      : 500;

export const getReason = (error: unknown): string | undefined =>
  error instanceof StorageUnavailable ? error.message : undefined;

const isMissingFile = (error: unknown): boolean =>
  error instanceof FileUnavailable ||
  (error instanceof Error && 'code' in error && error.code === 'ENOENT');

/**
 * These need no file of the library: who logs in, and the accounts; one of them restores the database that the files
 * belong to.
 */
const SERVED =
  /^\/api\/((server|auth|oauth|sessions|api-keys|admin\/(auth|users|maintenance|database-backups))(\/|$)|users(?!.*\/profile-image))/;

/** Returns the refusal of a request to the API while the folders are not those of the library. */
export function refuseWithoutStores(paths: DataPaths, request: Request): Response | undefined {
  const fault = getStoreFault(paths);
  if (fault === undefined) return undefined;
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith('/api/') || SERVED.test(pathname)) return undefined;
  const { message, headers, code } = new StorageUnavailable(fault);
  return Response.json(errorBody(request, 503, message, {}, code), { status: 503, headers });
}
