import { isFromOtherSite } from '../../access/credentials.ts';
import { forbidden } from '../../core/errors.ts';
import type { ClientOrigin } from '../../http/forwarded.ts';

/**
 * Throws 403 for a request of another site: it must neither take over a fresh server nor log a browser in
 * as somebody else.
 */
export function refuseOtherSites({ headers }: Request, { host }: ClientOrigin): void {
  if (isFromOtherSite(headers, host)) throw forbidden('Cross-site request refused');
}
