import { isIP } from 'node:net';
import type { Deps } from '../core/context.ts';
import { findClientAddress } from './exchange.ts';
import { isForwarded, isTrustedProxy } from './forwarded.ts';

/** Peers that are remembered; of more, nothing is logged. */
const MAX_PEERS = 100;

const REMEDY = 'see "Behind a reverse proxy" under Help; if it is no proxy, --trusted-proxies';

/**
 * Returns a function that warns of a trusted proxy, once, when it sends no X-Forwarded-For or one that does not end
 * with an address: the throttle of logins and the log take all its clients for one.
 */
export function createProxyWatch({ settings, log }: Pick<Deps, 'settings' | 'log'>) {
  const known = new Set<string>();
  return (request: Request): void => {
    const peer = findClientAddress(request);
    if (peer === undefined || known.has(peer) || known.size >= MAX_PEERS) return;
    if (!isTrustedProxy(peer, settings) || isForwarded(request)) return;
    const forwardedFor = request.headers.get('x-forwarded-for')?.trim();
    if (forwardedFor) {
      const last = forwardedFor.replace(/^.*,\s*/, '');
      if (isIP(last)) return;
      log.warn('trusted proxy sends an impossible X-Forwarded-For', {
        peer,
        forwardedFor: last,
        remedy: REMEDY,
      });
    } else {
      if (isDirect(request.headers)) return;
      log.warn('trusted proxy sends no X-Forwarded-For', { peer, remedy: REMEDY });
    }
    known.add(peer);
  };
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether the request comes from a program or a browser on this machine, which calls the server by such a name. */
function isDirect(headers: Headers): boolean {
  const host = headers.get('host') ?? '';
  const origin = headers.get('origin') ?? headers.get('referer');
  return LOOPBACK_HOST.test(host) && (!origin || URL.parse(origin)?.host === host);
}
