import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type AddressKind, classifyAddress, createBlockList, toNetwork } from '../core/network.ts';

// A browser names the addresses at which it can be reached, and we send packets there: a caller must not choose any
// machine that we can reach.

const PRIVATE = createBlockList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']);
const REACHED: ReadonlySet<AddressKind> = new Set(['public', 'private']);
/** Browsers hide their own address behind such a name (RFC 6762), which is known in the local network only. */
const LOCAL_NAME = /^[\da-f-]{36}\.local$/i;

const toFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const isWithin = (list: typeof PRIVATE, address: string) => list.check(address, toFamily(address));

/** The network of a home is one: a device may be reached by another address of it. */
const toNeighbours = (address: string): string =>
  isIP(address) === 4 && isWithin(PRIVATE, address)
    ? address.replace(/\d+$/, '0/24')
    : toNetwork(address);

const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));

/**
 * Returns whether a candidate of a caller at this address is tried: one of the network that the request came from, or a
 * hidden one. A caller on this machine, or without an address, has the addresses of the machine.
 */
export function createCandidateFilter(caller: string | undefined): (address: string) => boolean {
  const isOwn = caller === undefined || isWithin(createBlockList(['127.0.0.0/8', '::1']), caller);
  const networks = new Set((isOwn ? listOwnAddresses() : [caller]).map(toNeighbours));
  return (address) => {
    if (isIP(address) === 0) return LOCAL_NAME.test(address);
    return REACHED.has(classifyAddress(address)) && networks.has(toNeighbours(address));
  };
}
