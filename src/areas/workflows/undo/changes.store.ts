import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { undoKind } from './kind.ts';
import type { Change, Field, Former, State, Value } from './changes.ts';

// By id: the items of runs and of what they have changed. The caller checks whose they are.

/** Locks an item until commit: nobody else changes it, its tags or its albums. */
export async function lockItem(db: Db, id: string): Promise<void> {
  await queryRows(db, sql`select from ${backgroundAssets} where id = ${id} for no key update`);
}

const STATE_COLUMNS = {
  id: column.uuid,
  isFavorite: column.boolean,
  visibility: column.text,
  rating: column.integer.orNull,
  description: column.text,
  editedFields: column.textArray,
  tagIds: column.uuidArray,
  albumIds: column.uuidArray,
  addedAt: column.textArray,
};

/** Returns the states of items by their ids. */
export async function readStates(db: Db, ids: readonly string[]): Promise<Map<string, State>> {
  const rows = await queryRows(
    db,
    STATE_COLUMNS,
    sql`
    select asset.id, asset.is_favorite as "isFavorite", asset.visibility, exif.rating,
      coalesce(exif.description, '') as description,
      coalesce(exif.edited_fields, '{}') as "editedFields",
      array(select tag_id from tag_asset where asset_id = asset.id) as "tagIds",
      array(select album_id from album_asset where asset_id = asset.id order by album_id) as "albumIds",
      array(select created_at::text from album_asset where asset_id = asset.id order by album_id)
        as "addedAt"
    from ${backgroundAssets} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})`,
  );
  return new Map(
    rows.map(({ id, editedFields, tagIds, albumIds, addedAt, ...row }) => {
      const toFormer = (value: Value, name = ''): Former => ({
        value,
        isEdited: editedFields.includes(name),
      });
      const values = {
        favorite: toFormer(row.isFavorite),
        visibility: toFormer(row.visibility),
        rating: toFormer(row.rating, 'rating'),
        description: toFormer(row.description, 'description'),
      };
      const albums = new Map(albumIds.map((albumId, at) => [albumId, addedAt[at] ?? '']));
      return [id, { values, tags: new Set(tagIds), albums }];
    }),
  );
}

/** Saves changes of a run; the value before is that of the first change of a field. */
export async function insertChanges(
  db: Db,
  backfillId: string,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into workflow_change (backfill_id, asset_id, field, target_id, former, latter)
    select ${backfillId}::uuid, "assetId", field, "targetId", former, latter
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as change ("assetId" uuid, field text, "targetId" uuid, former jsonb, latter jsonb)
    on conflict (backfill_id, asset_id, field, target_id) do update set latter = excluded.latter`,
  );
}

export async function countChanges(db: Db, backfillId: string): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { changes: column.integer },
      sql`select count(*)::int as changes from workflow_change where backfill_id = ${backfillId}::uuid`,
    ),
  );
  return row.changes;
}

const CHANGE_COLUMNS = {
  assetId: column.uuid,
  field: column.text.as<Field>(),
  targetId: column.uuid.orNull,
  former: column.text.orNull,
  latter: column.text.orNull,
};

/** Deletes and returns the next changes of a run. */
export async function takeNextChanges(
  db: Db,
  backfillId: string,
  limit: number,
): Promise<Change[]> {
  const rows = await queryRows(
    db,
    CHANGE_COLUMNS,
    sql`
    delete from workflow_change where ctid = any(array(
      select ctid from workflow_change where backfill_id = ${backfillId}::uuid
      order by backfill_id, asset_id, field, target_id limit ${limit} for update))
    returning asset_id as "assetId", field, target_id as "targetId", former::text as former,
      latter::text as latter`,
  );
  return rows.map(({ former, latter, ...row }) => ({
    ...row,
    former: former === null ? null : (JSON.parse(former) as Former),
    latter: latter === null ? null : (JSON.parse(latter) as Value),
  }));
}

/** Makes a field of items one that a new extraction of metadata sets. */
export async function forgetEdit(
  db: Db,
  ids: readonly string[],
  field: 'rating' | 'description',
): Promise<void> {
  if (ids.length === 0) return;
  await queryRows(
    db,
    sql`
    update asset_exif set edited_fields = array_remove(edited_fields, ${field})
    where asset_id = any(${uuids(ids)})`,
  );
}

/** Returns the runs with changes that nothing can undo any more: they are too old, or gone. */
export async function listExpired(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    // The index is read once for each run.
    sql`
    with recursive known as (
      (select backfill_id as id from workflow_change order by backfill_id limit 1)
      union all
      select (select backfill_id from workflow_change where backfill_id > known.id
        order by backfill_id limit 1)
      from known where known.id is not null
    )
    select id from known where id is not null
      and not exists (select from workflow_backfill where run_id = known.id and keeps_changes)
      and not exists (select from operation where kind = ${undoKind.name} and request_id = known.id
        and state in ('queued', 'running'))`,
  );
  return rows.map(({ id }) => id);
}
