import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';

/** The NOTIFY channel from the server where a change happens to those with connected clients. */
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
  | 'person'
  | 'user'
  | 'notification'
  | 'memory'
  | 'memory_export';

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
 * committed. What happens to assets, stacks, albums, memories and sessions is announced by
 * triggers, as far as rows of those change.
 */
export async function announce(db: Db, announcement: Announcement): Promise<void> {
  await queryRows(db, sql`select pg_notify(${CHANNEL}, ${JSON.stringify(announcement)})`);
}

/** Announces to one account, about few ids, if a server has clients of that account. */
export async function announceTo(
  db: Db,
  userId: string,
  event: LiveEvent,
  ids: readonly string[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    select announce(${userId}, ${event}, array[${sql.join(
      ids.map((id) => sql`${id}::uuid`),
      sql`, `,
    )}]) where is_listened_to(${userId})`,
  );
}
