import { createImmichClient, type ImmichClient, ImmichUnavailable } from '../imports/index.ts';
import { isIP } from 'node:net';
import { normalizeHost } from '../../core/allowed-hosts.ts';
import type { Settings } from '../../core/settings.ts';
import { isAllowedAddress, listOwnAddresses, type Resolve, resolveHost } from './address.ts';

type ClientOptions = Omit<Parameters<typeof createImmichClient>[0], 'fetch'> & PinnedFetchOptions;

/** Returns a client that connects to what an account may name only. Throws ImmichUnavailable for what is no address. */
export const createMoveInClient = (options: ClientOptions): ImmichClient =>
  createImmichClient({ ...options, fetch: createPinnedFetch(options) });

type PinnedFetchOptions = {
  readonly settings: Pick<Settings, 'databaseUrl'>;
  readonly isAdmin: boolean;
  readonly resolve?: Resolve;
};

/**
 * Returns a fetch that connects to the addresses which it has checked, whatever the name resolves to meanwhile.
 * Certificates are those of the name. Throws ImmichUnavailable for a host that has no allowed address.
 */
export function createPinnedFetch({
  settings,
  isAdmin,
  resolve = resolveHost,
}: PinnedFetchOptions) {
  async function listAddresses({ hostname, origin }: URL): Promise<string[]> {
    const found = await resolve(hostname);
    const own = isAdmin ? [] : await listOwnAddresses(settings, resolve);
    const allowed = found.filter((address) => isAllowedAddress(address, { isAdmin, own }));
    if (found.length > 0 && allowed.length === 0) {
      throw new ImmichUnavailable('address_refused', origin);
    }
    return allowed;
  }

  return async (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address);
    let failure: unknown = new Error('The host was not found');
    for (const ip of await listAddresses(url)) {
      try {
        return await fetch(toAddress(url, ip), pin(url, init));
      } catch (error) {
        if (init.signal?.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  };
}

function toAddress(url: URL, ip: string): string {
  const target = new URL(url);
  target.hostname = isIP(ip) === 6 ? `[${ip}]` : ip;
  return target.href;
}

function pin(url: URL, init: RequestInit): BunFetchRequestInit {
  const host = normalizeHost(url.hostname);
  return {
    ...init,
    headers: { ...(init.headers as Record<string, string>), host: url.host },
    ...(url.protocol === 'https:' && isIP(host) === 0 && { tls: { serverName: host } }),
  };
}
