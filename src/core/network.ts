import { existsSync, readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Files that Docker, Podman and systemd-nspawn leave in a container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv', '/run/systemd/container'];

/** Loopback, and in a container its default gateway: there stands what runs on the host itself. */
export const defaultTrustedProxies = (): readonly string[] =>
  CONTAINER_MARKS.some((path) => existsSync(path))
    ? [...LOOPBACK, ...parseGateways(read('/proc/net/route'), read('/proc/net/ipv6_route'))]
    : LOOPBACK;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the next hops of the default routes, from the route tables of Linux (proc(5)). */
export function parseGateways(route: string, ipv6Route: string): string[] {
  const rows = (text: string) => text.split('\n').map((line) => line.trim().split(/\s+/));
  const v4 = rows(route).flatMap(([, destination, gateway = '']) => {
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/i.test(gateway)) return [];
    // In the byte order of the machine, and Linux on x86 and ARM is little-endian.
    return [Buffer.from(gateway, 'hex').reverse().join('.')];
  });
  const v6 = rows(ipv6Route).flatMap(([destination, prefix, , , gateway]) => {
    if (!/^0{32}$/.test(destination ?? '') || prefix !== '00' || !gateway) return [];
    return [gateway.replaceAll(/(.{4})(?=.)/g, '$1:')];
  });
  return [...new Set([...v4, ...v6])].filter((address) => !/^[0.:]+$/.test(address));
}

/** True for an IP address, and for a network as 192.168.1.0/24. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && +prefix <= (version === 6 ? 128 : 32))
  );
}

export function createBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * Returns an IP address in its one spelling: an IPv4 address that is written as one of IPv6 (RFC 4291 §2.5.5.2) as IPv4.
 * Undefined for another text, and for an address with a zone, which is one of a link.
 */
export function normalizeAddress(address: string): string | undefined {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const host = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  return host && ipaddr.process(host).toString();
}

/** Unicast addresses of the internet (RFC 4291 §2.4). Before it are those that contain one of IPv4, as ::127.0.0.1. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The last 64 bits of addresses that lead to one of IPv4 through a tunnel (RFC 5214 §6.1). */
const ISATAP = /:(?:0|200):5efe:[\da-f]+:[\da-f]+$/;
const PRIVATE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat'];

export type AddressKind = 'public' | 'private' | 'loopback' | 'special';

/**
 * Returns the kind of an IP address by its range (RFC 6890): private is also that of overlay networks. Special is what leads
 * elsewhere than it says, or nowhere: tunnels and translations to IPv4, links, multicast, all that is reserved.
 */
export function classifyAddress(address: string): AddressKind {
  const text = normalizeAddress(address);
  if (text === undefined) return 'special';
  const parsed = ipaddr.parse(text);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  const isIsatap = ISATAP.test(parsed.toNormalizedString());
  if (PRIVATE_RANGES.includes(range)) return isIsatap ? 'special' : 'private';
  const isUnicast = parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
  return range === 'unicast' && isUnicast && !isIsatap ? 'public' : 'special';
}

/**
 * Returns the network that one customer of a provider has: the address itself, of IPv6 its first 64
 * bits (RFC 6177), of which every device takes new addresses as it likes.
 */
export function toNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = (part: string) => part.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split(':');
  const left = head ? groups(head) : [];
  const right = tail ? groups(tail) : [];
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array<string>(gap).fill('0'), ...right];
  const prefix = all.slice(0, 4).map((group) => parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}
