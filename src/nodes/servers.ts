import type { Deps } from '../core/context.ts';
import { perDatabase } from '../db/per-database.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { listServers, type ServerRow } from './store.ts';

// A server holds what lives in its process, or in a folder of its machine. A request for it that comes to another server
// is sent there.

/** A server that requests can be sent to. */
export type Server = { readonly id: string; readonly address: string };

/** Thrown where another server holds what a request is about: the request is to be sent there. */
export class HeldElsewhere extends Error {
  /** Undefined: it cannot be reached now. */
  readonly server: Server | undefined;

  constructor(server: Server | undefined) {
    super('Another server of this library holds what the request is about');
    this.server = server;
  }
}

const getKnown = perDatabase(() => ({ others: [] as readonly ServerRow[] }));

type Database = Pick<Deps, 'db' | 'sql'>;

/** Reads which servers there are, for the functions below. Returns whether this one leads. */
export async function updateServers({ db, sql }: Database): Promise<boolean> {
  const servers = await listServers(db);
  getKnown(sql).others = servers.filter(({ id }) => id !== NODE_ID);
  return servers.some(({ id, isLeader }) => isLeader && id === NODE_ID);
}

/** Returns another server that can be reached, as of the last heartbeat; undefined where this is the only one. */
export const findKnownServer = (
  { sql }: Pick<Deps, 'sql'>,
  isWanted: (server: ServerRow) => boolean,
): Server | undefined => findReachable(getKnown(sql).others.filter(isWanted));

function findReachable(servers: readonly ServerRow[]): Server | undefined {
  const { id, address } = servers.find(({ isReachable }) => isReachable) ?? {};
  return id && address ? { id, address } : undefined;
}

/** Throws HeldElsewhere unless every other server that may hold what a request is about is gone for good. */
export async function requireNoOtherHolder(
  deps: Database,
  isHolder: (server: ServerRow) => boolean,
): Promise<void> {
  const known = findKnownServer(deps, isHolder);
  if (known) throw new HeldElsewhere(known);
  const servers = await listServers(deps.db);
  const holders = servers.filter((server) => server.id !== NODE_ID && isHolder(server));
  if (holders.length > 0) throw new HeldElsewhere(findReachable(holders));
}
