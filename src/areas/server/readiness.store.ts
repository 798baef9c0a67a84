import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { queryRows } from '../../db/query.ts';

/** Writes a row of this process, through a trigger. Rows of processes that are gone are deleted after a day. */
export async function proveWrite(db: Db, nodeId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    with gone as (
      delete from write_probe
      where node_id <> ${nodeId}::uuid and written_at < now() - interval '1 day'
    )
    insert into write_probe (node_id) values (${nodeId}::uuid)
    on conflict (node_id) do update set written_at = now()`,
  );
}
