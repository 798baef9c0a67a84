import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { normalizeHost } from '../../core/allowed-hosts.ts';
import { parsePostgresAddress } from '../../core/postgres-url.ts';
import type { Settings } from '../../core/settings.ts';

// Which addresses an account may have this server connect to. The other server stands in the same network more often
// than not, so private networks are allowed: all else that is not public is not.

/** Ranges of RFC 6890 by their names in ipaddr.js; carrierGradeNat is also that of overlay networks. */
const ALLOWED: readonly string[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'];

/** Addresses in these ranges at which clouds tell machines their credentials. */
const METADATA: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2:0:0:0:0:0:254',
  'fd20:ce:0:0:0:0:0:254',
];

export type AddressRules = {
  /** Administrators may name this machine itself: the other server may run beside this one. */
  readonly isAdmin: boolean;
  /** Addresses of this machine and of its database. */
  readonly own: readonly string[];
};

/** Whether this server connects to an IP address for an account. */
export function isAllowedAddress(address: string, { isAdmin, own }: AddressRules): boolean {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return isAdmin;
  const text = parsed.toNormalizedString();
  if (!ALLOWED.includes(range) || METADATA.includes(text)) return false;
  return isAdmin || !own.some((address) => ipaddr.process(address).toNormalizedString() === text);
}

export type Resolve = (host: string) => Promise<readonly string[]>;

/** Returns the addresses of a host name, or of an IP address itself; none if it is not found. */
export const resolveHost: Resolve = async (name) => {
  const host = normalizeHost(name);
  if (isIP(host)) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** Returns the addresses of this machine, and those of its database. */
export async function listOwnAddresses(
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  resolve: Resolve = resolveHost,
): Promise<string[]> {
  const machine = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const hosts = databaseUrl === undefined ? [] : parsePostgresAddress(databaseUrl).hosts;
  const names = hosts.map(({ host }) => host).filter((host) => !host.startsWith('/'));
  const database = await Promise.all(names.map(resolve));
  return [...machine.map(({ address }) => address), ...database.flat()].filter(ipaddr.isValid);
}
