import { type BlockList, isIP } from 'node:net';
import { createBlockList } from '../core/network.ts';
import type { Settings } from '../core/settings.ts';
import { findClientAddress } from './exchange.ts';

/** Origin of a request, from the connection or from headers of a trusted proxy. */
export type ClientOrigin = {
  /** Undefined outside the listener. */
  readonly address: string | undefined;
  /** The host that the client requested, with its port. */
  readonly host: string | null;
  /** The client uses TLS, to this server or to the proxy. */
  readonly isEncrypted: boolean;
};

const forwardedOrigins = new WeakMap<Request, ClientOrigin>();

/** To be called for a request that another server of this library has sent on, with what that knows of the client. */
export const setForwardedOrigin = (request: Request, origin: ClientOrigin): void =>
  void forwardedOrigins.set(request, origin);

/** Whether another server of this library has sent the request on. */
export const isForwarded = (request: Request): boolean => forwardedOrigins.has(request);

export const getClientOrigin = (request: Request, settings: Settings): ClientOrigin =>
  forwardedOrigins.get(request) ??
  readClientOrigin(
    findClientAddress(request),
    request.headers,
    settings,
    request.url.startsWith('https:'),
  );

/** Honours X-Forwarded-* headers only when the peer is a trusted proxy. */
export function readClientOrigin(
  peer: string | undefined,
  headers: Headers,
  settings: Settings,
  overTls: boolean,
): ClientOrigin {
  const trusted = getTrustedProxies(settings);
  const isProxied = peer !== undefined && includes(trusted, peer);
  const forwarded = (name: string) => (isProxied ? headers.get(`x-forwarded-${name}`) : null);
  const findFirst = (name: string) => forwarded(name)?.replace(/,.*/, '').trim();
  return {
    address: isProxied ? findForwardedClient(peer, forwarded('for'), trusted) : peer,
    host: findFirst('host') ?? headers.get('host'),
    isEncrypted: settings.tlsCert !== undefined || overTls || findFirst('proto') === 'https',
  };
}

/** Returns the last address in X-Forwarded-For that is no trusted proxy: each proxy appends its peer. */
function findForwardedClient(
  peer: string,
  forwardedFor: string | null,
  trusted: BlockList,
): string {
  let client = peer;
  for (const part of (forwardedFor ?? '').split(',').toReversed()) {
    const address = part.trim().replace(/^::ffff:/i, '');
    if (!isIP(address)) return client;
    client = address;
    if (!includes(trusted, address)) return client;
  }
  return client;
}

/** Whether X-Forwarded-* headers of this peer are honoured. */
export const isTrustedProxy = (peer: string, settings: Settings): boolean =>
  includes(getTrustedProxies(settings), peer);

const lists = new WeakMap<readonly string[], BlockList>();

function getTrustedProxies({ trustedProxies }: Settings): BlockList {
  let list = lists.get(trustedProxies);
  if (!list) lists.set(trustedProxies, (list = createBlockList(trustedProxies)));
  return list;
}

function includes(list: BlockList, address: string): boolean {
  // BlockList has no zones, as in fe80::1%eth0.
  return list.check(address.replace(/%.*$/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
