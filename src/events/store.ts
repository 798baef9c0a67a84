import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** Somebody listens for this account here: only then are its changes announced. */
export async function noteListener(db: Db, userId: string, serverId: string): Promise<void> {
  await db.execute(sql`
    insert into live_listener (user_id, server_id, until)
    values (${userId}, ${serverId}, now() + interval '3 minutes')
    on conflict (user_id, server_id) do update set until = excluded.until`);
}

export const forgetListeners = async (db: Db, serverId: string): Promise<void> => {
  await db.execute(sql`delete from live_listener where server_id = ${serverId}`);
};

/** Those of servers that ended without a word. */
export const forgetOldListeners = async (db: Db): Promise<void> => {
  await db.execute(sql`delete from live_listener where until < now() - interval '1 hour'`);
};
