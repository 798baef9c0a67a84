import { type BlockList, isIP } from 'node:net';
import { createBlockList } from '../core/network.ts';
import type { Settings } from '../core/settings.ts';
import { clientAddress } from './exchange.ts';

/** Where a request comes from: what the connection says, or a trusted proxy in front of us. */
export type Caller = {
  /** Undefined outside the listener. */
  readonly address: string | undefined;
  /** The host that the caller asked for, with its port. */
  readonly host: string | null;
  /** It came over TLS, to us or to the proxy. */
  readonly isEncrypted: boolean;
};

export const getCaller = (request: Request, settings: Settings): Caller =>
  readCaller(clientAddress(request), request.headers, settings, request.url.startsWith('https:'));

/** Anyone can write X-Forwarded-* headers: they count when a trusted proxy sent them, and only then. */
export function readCaller(
  peer: string | undefined,
  headers: Headers,
  settings: Settings,
  overTls: boolean,
): Caller {
  const trusted = trustedOf(settings);
  const isProxied = peer !== undefined && includes(trusted, peer);
  const forwarded = (name: string) => (isProxied ? headers.get(`x-forwarded-${name}`) : null);
  return {
    address: isProxied ? clientBehind(peer, forwarded('for'), trusted) : peer,
    host: forwarded('host')?.split(',', 1)[0]!.trim() ?? headers.get('host'),
    isEncrypted:
      settings.tlsCert !== undefined ||
      overTls ||
      forwarded('proto')?.split(',', 1)[0]!.trim() === 'https',
  };
}

/** Read from its end, where each proxy appended what it saw itself, up to the first that is no proxy. */
function clientBehind(peer: string, forwardedFor: string | null, trusted: BlockList): string {
  let client = peer;
  for (const part of (forwardedFor ?? '').split(',').toReversed()) {
    const address = part.trim().replace(/^::ffff:/i, '');
    if (!isIP(address)) return client;
    client = address;
    if (!includes(trusted, address)) return client;
  }
  return client;
}

const lists = new WeakMap<readonly string[], BlockList>();

function trustedOf({ trustedProxies }: Settings): BlockList {
  let list = lists.get(trustedProxies);
  if (!list) lists.set(trustedProxies, (list = createBlockList(trustedProxies)));
  return list;
}

function includes(list: BlockList, address: string): boolean {
  // A list knows no zones, as in fe80::1%eth0.
  return list.check(address.replace(/%.*$/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
