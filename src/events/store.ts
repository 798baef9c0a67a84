import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';

/** Registers that this server has clients of the account: only then are its changes announced. */
export async function upsertListener(db: Db, userId: string, serverId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into live_listener (user_id, server_id, until)
    values (${userId}, ${serverId}, now() + interval '3 minutes')
    on conflict (user_id, server_id) do update set until = excluded.until`,
  );
}

export const deleteListeners = async (db: Db, serverId: string): Promise<void> => {
  await queryRows(db, sql`delete from live_listener where server_id = ${serverId}`);
};

/** Deletes the listeners of servers that crashed. */
export const deleteExpiredListeners = async (db: Db): Promise<void> => {
  await queryRows(db, sql`delete from live_listener where until < now() - interval '1 hour'`);
};
