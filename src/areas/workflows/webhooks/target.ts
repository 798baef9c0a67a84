import type { LookupAddress } from 'node:dns';
import { lookup as lookUpAll } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isHostListed, normalizeHost } from '../../../core/allowed-hosts.ts';
import { classifyAddress } from '../../../core/network.ts';
import { getFirst } from '../../../core/required.ts';
import { badRequest } from '../../../core/errors.ts';

const refuse = (message: string) =>
  badRequest(message, { errors: [{ code: 'custom', path: ['url'], message }] });

/** Returns the address of a webhook. Throws 400 unless an administrator has listed its host. */
export function parseTarget(text: string, hosts: readonly string[]): URL {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw refuse('Must be an https address');
  }
  if (url.username || url.password) throw refuse('Must not contain a login');
  if (!isHostListed(hosts, url.hostname)) {
    throw refuse(`The administrator has not listed ${url.hostname} as a host for webhooks`);
  }
  return url;
}

const isPublic = (address: string): boolean => classifyAddress(address) === 'public';

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;
const resolveHost: Resolve = (host) => lookUpAll(host, { all: true });

/**
 * Returns the addresses that a webhook may be sent to: public ones, with https only, and listed ones of
 * private networks. Throws 400 if the host has no other.
 */
export async function resolveTarget(
  { hostname, protocol }: URL,
  hosts: readonly string[],
  resolve: Resolve = resolveHost,
): Promise<readonly LookupAddress[]> {
  const host = normalizeHost(hostname);
  const found = isIP(host)
    ? [{ address: host, family: isIP(host) }]
    : await resolve(host).catch(() => []);
  if (found.length === 0) throw refuse(`The host ${host} was not found`);
  const reachable = found.filter(
    ({ address }) => isPublic(address) || isHostListed(hosts, address),
  );
  if (reachable.length === 0) {
    throw refuse(
      `${host} is ${getFirst(found).address}, a private address that the administrator has not listed`,
    );
  }
  if (protocol === 'https:') return reachable;
  const internal = reachable.filter(({ address }) => !isPublic(address));
  if (internal.length === 0) throw refuse('http is for private addresses only: use https');
  return internal;
}
