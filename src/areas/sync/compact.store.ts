import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

// Many short transactions: readers of the log cannot pass a running one.

const DELETE_BATCH = 2000;

/** Stores the oldest running transaction; returns the newest such mark taken until `before`. */
export async function recordMark(db: Db, now: Date, before: Date): Promise<bigint | undefined> {
  await queryRows(
    db,
    sql`
    insert into change_mark (taken_at, xid)
    select ${now.toISOString()}::timestamptz, pg_snapshot_xmin(pg_current_snapshot())
    on conflict do nothing`,
  );
  const [row] = await queryRows(
    db,
    { xid: column.xid8 },
    sql`
    select xid from change_mark where taken_at <= ${before.toISOString()}::timestamptz
    order by taken_at desc limit 1`,
  );
  return row && BigInt(row.xid);
}

/** Declares changes before `xid` dropped: copies that stand before it are reset. Call it before deleting them. */
export async function advanceLowWatermark(db: Db, xid: bigint): Promise<void> {
  await queryRows(
    db,
    sql`
    update change_log set dropped_before = ${String(xid)}::xid8
    where dropped_before < ${String(xid)}::xid8`,
  );
  await queryRows(
    db,
    sql`
    delete from change_mark where xid < ${String(xid)}::xid8`,
  );
}

/** Returns every account and album of the log by a loose index scan. */
export async function listScopes(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { scope_id: column.uuid },
    sql`
    with recursive known (scope_id) as (
      (select scope_id from change order by scope_id limit 1)
      union all
      select (select change.scope_id from change where change.scope_id > known.scope_id
        order by change.scope_id limit 1)
      from known where known.scope_id is not null
    ) select scope_id from known where scope_id is not null`,
  );
  return rows.map((row) => row.scope_id);
}

/** Deletes a batch of changes before `before`. Returns false when none are left. */
export async function deleteOldChanges(db: Db, scope: string, before: bigint): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    with old as (
      select scope_id, xid, id from change
      where scope_id = ${scope} and xid < ${String(before)}::xid8 order by xid, id limit ${DELETE_BATCH}
    )
    delete from change using old
    where change.scope_id = old.scope_id and change.xid = old.xid and change.id = old.id
    returning 1`,
  );
  return rows.length === DELETE_BATCH;
}

/** Large, because finding them costs a pass over the scope. */
const SELECT_BATCH = 50_000;

/**
 * Deletes changes with a newer equal one. Changes with another audience are not equal: a reader who may
 * not see the newest still needs the older one. Returns false when none are left.
 */
export async function deleteSupersededChanges(
  db: Db,
  scope: string,
  signal: AbortSignal,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    { xid: column.text, id: column.text },
    sql`
    select xid::text, id::text from (
      select xid, id, row_number() over (
        partition by kind, subject_id, other_id, key, is_open, is_shared
        order by xid desc, id desc) as place
      from change where scope_id = ${scope}
        and xid < pg_snapshot_xmin(pg_current_snapshot())) known
    where place > 1 limit ${SELECT_BATCH}`,
  );
  for (let at = 0; at < rows.length; at += DELETE_BATCH) {
    signal.throwIfAborted();
    const batch = JSON.stringify(rows.slice(at, at + DELETE_BATCH));
    await queryRows(
      db,
      sql`
      delete from change using jsonb_to_recordset(${batch}::jsonb) gone (xid xid8, id bigint)
      where change.scope_id = ${scope} and change.xid = gone.xid and change.id = gone.id`,
    );
  }
  return rows.length === SELECT_BATCH;
}
