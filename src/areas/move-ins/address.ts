import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { normalizeHost } from '../../core/allowed-hosts.ts';
import { classifyAddress, normalizeAddress } from '../../core/network.ts';
import { parsePostgresAddress } from '../../core/postgres-url.ts';
import type { Settings } from '../../core/settings.ts';

// Which addresses an account may have this server connect to. The other server stands in the same network more often
// than not, so private networks are allowed: all else that is not public is not.

/** Public and private addresses at which clouds tell machines their credentials. */
const METADATA: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
];

export type AddressRules = {
  /** Administrators may name this machine itself: the other server may run beside this one. */
  readonly isAdmin: boolean;
  /** Addresses of this machine and of its database. */
  readonly own: readonly string[];
};

/** Returns whether this server connects to an IP address for an account. */
export function isAllowedAddress(address: string, { isAdmin, own }: AddressRules): boolean {
  const kind = classifyAddress(address);
  if (kind === 'loopback') return isAdmin;
  const text = normalizeAddress(address);
  if (kind === 'special' || text === undefined || METADATA.includes(text)) return false;
  return isAdmin || !own.some((address) => normalizeAddress(address) === text);
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
  return [...machine.map(({ address }) => address), ...database.flat()].filter(
    (address) => isIP(address) !== 0,
  );
}
