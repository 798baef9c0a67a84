import { findCookie, isFromOtherSite } from '../access/credentials.ts';
import { forbidden, unauthorized } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { getClientOrigin } from '../http/forwarded.ts';
import { readState, recordSeen } from './state.ts';
import { MAINTENANCE_COOKIE, type MaintenanceAuth, verifyToken } from './token.ts';

type Options = { readonly settings: Settings; readonly paths: DataPaths };

/** Immich's texts. */
export const refuseToken = (token: string | undefined) =>
  unauthorized(token ? 'Invalid JWT Token' : 'Missing JWT Token');

/** Browsers send the cookie with requests of other sites too: those are nobody's. */
export function findAdministrator({
  request,
  options,
}: {
  readonly request: Request;
  readonly options: Options;
}): MaintenanceAuth | undefined {
  const token = findCookie(request, MAINTENANCE_COOKIE);
  if (!token) return undefined;
  const { host } = getClientOrigin(request, options.settings);
  if (request.method !== 'GET' && isFromOtherSite(request.headers, host)) {
    throw forbidden('Cross-site request refused');
  }
  if (!isStaying(options, token)) return undefined;
  recordSeen(options.paths, new Date());
  return verify(options, token);
}

/** Whether a token of a cookie is valid; one of an address only logs in. */
export function isStaying(options: Options, token: string): boolean {
  const auth = verify(options, token);
  return auth !== undefined && auth.loginId === undefined;
}

export const verify = ({ paths }: Options, token: string): MaintenanceAuth | undefined =>
  verifyToken(readState(paths)?.secret, token, new Date());
