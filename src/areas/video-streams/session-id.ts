import { randomUUID } from 'node:crypto';
import type { Deps } from '../../core/context.ts';
import { NODE_ID } from '../../jobs/node-id.ts';
import { findKnownServer, HeldElsewhere } from '../../nodes/servers.ts';

// The identifier of a session tells which server began it, by its last group. When that is gone, the session goes on with
// any other.

const getLastGroup = (uuid: string): string => uuid.slice(-12).toLowerCase();

export const createSessionId = (): string =>
  `${randomUUID().slice(0, -12)}${getLastGroup(NODE_ID)}`;

/** Throws HeldElsewhere for a session that another server began, which encodes for it. */
export function requireHere(
  deps: Pick<Deps, 'sql'>,
  { sessionId }: { readonly sessionId: string },
): void {
  const group = getLastGroup(sessionId);
  if (group === getLastGroup(NODE_ID)) return;
  const server = findKnownServer(deps, ({ id }) => getLastGroup(id) === group);
  if (server) throw new HeldElsewhere(server);
}
