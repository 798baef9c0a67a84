import ipaddr from 'ipaddr.js';
import { isNetwork, normalizeAddress } from './network.ts';

/** Labels of RFC 1123 §2.1, also with an underscore, as names of containers have. */
const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$/;
/** URLs take such a last label for an IPv4 address, RFC 3986 §7.4. */
const NUMBER_AT_END = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/** Returns a host as it is compared: the ending dot and the brackets of an IPv6 address are left out. */
export const normalizeHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** True for a host name, an IP address, and a network as 192.168.1.0/24. */
export function isHostEntry(text: string): boolean {
  const host = normalizeHost(text);
  return isNetwork(host) || (HOST_NAME.test(host) && !NUMBER_AT_END.test(host));
}

/** Returns whether a list contains a host name, an address, or a network around that address. */
export function isHostListed(entries: readonly string[], host: string): boolean {
  const wanted = normalizeHost(host);
  const text = normalizeAddress(wanted);
  if (text === undefined) return entries.some((entry) => normalizeHost(entry) === wanted);
  const address = ipaddr.parse(text);
  return entries.map(normalizeHost).some((entry) => {
    if (!isNetwork(entry)) return false;
    const [network, prefix] = parseNetwork(entry);
    return network.kind() === address.kind() && address.match(network, prefix);
  });
}

function parseNetwork(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
