import { sql } from 'drizzle-orm';
import { checkedAssets } from '../../access/unscoped.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { type Field, formatFields } from './values.store.ts';

/** The newest changes of an account that are kept: enough for 100,000 items at once. */
const KEPT = 20;

/** Saves a change and deletes those of the account that are no more among the newest. Returns its id. */
export async function insertChange(
  db: Db,
  accountId: string,
  fields: readonly Field[],
  now: Date,
): Promise<string> {
  const { id } = getRow(
    await queryRows(
      db,
      { id: column.uuid },
      sql`
      insert into metadata_change (account_id, fields, created_at)
      values (${accountId}, ${formatFields(fields)}, ${now.toISOString()}) returning id`,
    ),
  );
  await queryRows(
    db,
    sql`
    delete from metadata_change where id in (
      select id from metadata_change where account_id = ${accountId} and id <> ${id}
      order by created_at desc, id desc offset ${KEPT - 1})`,
  );
  return id;
}

const CHANGE_COLUMNS = {
  fields: column.textArray,
  isUndone: column.boolean,
};
type ChangeRow = InferRow<typeof CHANGE_COLUMNS>;

/** Locks a change of the account until commit. */
export async function lockChange(
  db: Db,
  accountId: string,
  id: string,
): Promise<ChangeRow | undefined> {
  const [row] = await queryRows(
    db,
    CHANGE_COLUMNS,
    sql`
    select fields, undone_at is not null as "isUndone" from metadata_change
    where id = ${id} and account_id = ${accountId} for update`,
  );
  return row;
}

/** Returns the assets of a change. */
export async function listItems(db: Db, changeId: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select asset_id as id from metadata_change_item where change_id = ${changeId}`,
  );
  return rows.map(({ id }) => id);
}

/** Returns those of the assets that have not changed since. The caller may change them, and has locked them. */
export async function listUnchanged(
  db: Db,
  changeId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from metadata_change_item item join ${checkedAssets} on asset.id = item.asset_id
    where item.change_id = ${changeId} and asset.id = any(${uuids(ids)})
      and asset.state_revision = item.revision`,
  );
  return rows.map(({ id }) => id);
}

export async function markUndone(db: Db, id: string, now: Date): Promise<void> {
  await queryRows(
    db,
    sql`update metadata_change set undone_at = ${now.toISOString()} where id = ${id}`,
  );
}

// Parts of items that the caller has chosen and may change: the same owner's by construction.

/** Returns the video halves of those that are live photos. */
export const listLiveVideos = (db: Db, ids: readonly string[]) =>
  queryRows(
    db,
    { id: column.uuid, stillId: column.uuid },
    sql`
    select live_video_id as id, id as "stillId" from ${checkedAssets}
    where id = any(${uuids(ids)}) and live_video_id is not null`,
  );

/** Returns the other members of their stacks that one can see where the chosen ones are. */
export async function listStackMates(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select distinct member.id from ${checkedAssets} asset join ${checkedAssets} member
      on member.stack_id = asset.stack_id
      and stack_scope(member.visibility, member.locked_at, member.trashed_at)
        = stack_scope(asset.visibility, asset.locked_at, asset.trashed_at)
    where asset.id = any(${uuids(ids)}) and member.id <> all(${uuids(ids)})`,
  );
  return rows.map(({ id }) => id);
}
