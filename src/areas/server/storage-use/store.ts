import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { LARGE_BYTES } from '../../../core/large-files.ts';
import { type Db, POOL_PREFIX } from '../../../db/client.ts';
import { MOVE_POOL, type MoveTarget } from '../../../storage/objects.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const MEASURED = {
  ownerId: column.uuid.orNull,
  kind: column.text,
  files: column.bigint,
  bytes: column.numeric,
};
export type Measured = InferRow<typeof MEASURED>;

const isOwn = (asset: string) =>
  sql`${sql.raw(asset)}.library_id is null and ${sql.raw(asset)}.locked_at is null
    and ${sql.raw(asset)}.trashed_at is null`;

/**
 * Returns what files take, by account and kind: reads the assets and their files once. Administrators see no
 * kinds of what is in Locked: it is 'other', as audio is. Files of external libraries are not ours.
 */
export const measureFiles = (db: Db): Promise<Measured[]> =>
  queryRows(
    db,
    MEASURED,
    sql`
    select owner_id as "ownerId", kind, count(*) as files, sum(size) as bytes
    from (
      select owner_id, file_size as size, case
        when locked_at is not null then 'other'
        when trashed_at is not null then 'trash'
        when type = 'VIDEO' then 'video'
        when type <> 'IMAGE' then 'other'
        when is_raw_name(file_name) then 'raw'
        else 'photo' end as kind
      from ${backgroundAssets} where library_id is null
      union all
      select owner_id, size, case
        when locked_at is not null or kind = 'sidecar' then 'other'
        when kind in ('encoded_video', 'bare_video') then 'transcode'
        else 'preview' end
      from asset_file join ${backgroundAssets} on asset.id = asset_file.asset_id
      union all
      select account_id, size, 'export'
      from operation join operation_file using (id)
      where destination = 'download' and state = 'completed' and size is not null
    ) file group by 1, 2`,
  );

/** Returns the large files, and the raw photos of which the same account has a picture of the same name and time. */
export const measureParts = (db: Db): Promise<Measured[]> =>
  queryRows(
    db,
    MEASURED,
    sql`
    select owner_id as "ownerId", 'large' as kind, count(*) as files, sum(file_size) as bytes
    from ${backgroundAssets} where ${isOwn('asset')} and file_size >= ${LARGE_BYTES} group by 1
    union all
    select owner_id, 'raw_pair', count(*), sum(file_size)
    from ${backgroundAssets} raw
    where ${isOwn('raw')} and type = 'IMAGE' and is_raw_name(raw.file_name) and exists (
      select from ${backgroundAssets} picture
      where picture.owner_id = raw.owner_id and picture.taken_at = raw.taken_at
        and ${isOwn('picture')} and picture.type = 'IMAGE'
        and not is_raw_name(picture.file_name)
        and file_stem(picture.file_name) = file_stem(raw.file_name))
    group by 1`,
  );

export async function measureDatabase(db: Db): Promise<number> {
  const rows = await queryRows(
    db,
    { bytes: column.bigint },
    sql`select pg_database_size(current_database()) as bytes`,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Replaces what was measured before. An account that was erased meanwhile is left out. */
export async function saveUses(db: Db, uses: readonly Measured[], now: Date): Promise<void> {
  await queryRows(db, sql`delete from storage_use`);
  await queryRows(
    db,
    sql`
    insert into storage_use (owner_id, kind, files, bytes, measured_at)
    select "ownerId", kind, files, bytes, ${now.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb)
      as use ("ownerId" uuid, kind text, files bigint, bytes bigint)
    where "ownerId" is null or exists (select from app_user where id = "ownerId")`,
  );
}

const USE = {
  userId: column.uuid.orNull,
  userName: column.text.orNull,
  kind: column.text,
  files: column.bigint,
  bytes: column.bigint,
  measuredAt: column.timestamptz,
};

/** Returns what was measured, a few rows for each account. */
export const listUses = (db: Db): Promise<InferRow<typeof USE>[]> =>
  queryRows(
    db,
    USE,
    sql`
    select owner_id as "userId", name as "userName", kind, files, bytes, measured_at as "measuredAt"
    from storage_use left join app_user on app_user.id = owner_id
    order by app_user.created_at nulls first, owner_id, kind`,
  );

/** Returns where files are moved to by a command that runs, at whichever machine. */
export async function findMove(db: Db): Promise<MoveTarget | undefined> {
  const [move] = await queryRows(
    db,
    { to: column.text.as<MoveTarget>() },
    sql`
    select substr(application_name, ${`${POOL_PREFIX}${MOVE_POOL}`.length + 1}::int) as "to"
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${`${POOL_PREFIX}${MOVE_POOL}`})
    limit 1`,
  );
  return move?.to;
}
