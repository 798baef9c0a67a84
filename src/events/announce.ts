import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** The channel on which changes travel from where they happen to where clients are connected. */
export const CHANNEL = 'live';

export type LiveEvent =
  | 'ready'
  | 'edited'
  | 'update'
  | 'trash'
  | 'restore'
  | 'hide'
  | 'delete'
  | 'many'
  | 'stack'
  | 'album'
  | 'session'
  | 'config'
  | 'release'
  | 'person'
  | 'notification';

export type Announcement = {
  /** Undefined: everybody. */
  readonly user?: string;
  readonly event: LiveEvent;
  readonly ids?: readonly string[];
  /** For events that bring their own content; at most 7000 bytes of JSON. */
  readonly data?: unknown;
};

/**
 * Tells connected clients, on whatever machine they are connected, once the transaction of `db` is
 * committed. What happens to assets, stacks, albums and sessions is announced by triggers.
 */
export async function announce(db: Db, announcement: Announcement): Promise<void> {
  await db.execute(sql`select pg_notify(${CHANNEL}, ${JSON.stringify(announcement)})`);
}
