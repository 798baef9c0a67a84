import { BlockList, isIP } from 'node:net';
import type { Settings } from '../core/settings.ts';
import { clientAddress } from './exchange.ts';

/** Loopback, private and link-local networks: where a reverse proxy of the owner stands. */
const nearby = new BlockList();
nearby.addSubnet('127.0.0.0', 8);
nearby.addSubnet('10.0.0.0', 8);
nearby.addSubnet('172.16.0.0', 12);
nearby.addSubnet('192.168.0.0', 16);
nearby.addSubnet('169.254.0.0', 16);
nearby.addAddress('::1', 'ipv6');
nearby.addSubnet('fc00::', 7, 'ipv6');
nearby.addSubnet('fe80::', 10, 'ipv6');

const isNearby = (address: string) => nearby.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Who asks; undefined outside the listener. */
export const callerAddress = (request: Request): string | undefined =>
  originOf(clientAddress(request), request.headers.get('x-forwarded-for'));

/**
 * Anyone can write X-Forwarded-For, so it counts only when a proxy nearby sent it, and is read from
 * its end: the proxy appended what it saw itself.
 */
export function originOf(peer: string | undefined, forwarded: string | null): string | undefined {
  if (!peer || !forwarded || !isNearby(peer)) return peer;
  let origin = peer;
  for (const part of forwarded.split(',').toReversed()) {
    const address = part.trim().replace(/^::ffff:/, '');
    if (!isIP(address)) return origin;
    origin = address;
    if (!isNearby(address)) return origin;
  }
  return origin;
}

/** Did the caller reach us over TLS, here or at the proxy? Decides about the Secure flag only. */
export const isEncrypted = (request: Request, { tlsCert }: Settings): boolean =>
  tlsCert !== undefined ||
  request.url.startsWith('https:') ||
  request.headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https';
