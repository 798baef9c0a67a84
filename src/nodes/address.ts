import { hostname } from 'node:os';
import type { Settings } from '../core/settings.ts';

/** Addresses of a listener that are no name of a machine. */
const ANY = new Set(['0.0.0.0', '::', '[::]']);

/** Returns the URL at which other servers reach this one, which listens at `url`. */
export function getNodeAddress(
  { nodeAddress, databaseUrl, host }: Pick<Settings, 'nodeAddress' | 'databaseUrl' | 'host'>,
  url: string,
): string {
  if (nodeAddress !== undefined) return nodeAddress;
  // A server with its own database is the only one.
  if (databaseUrl === undefined || !ANY.has(host)) return url;
  const address = new URL(url);
  address.hostname = hostname();
  return address.origin;
}
