import { isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { type Db, POOL_PREFIX } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, prepareQuery, queryRows } from '../../db/query.ts';
import { originals } from '../../db/tables/assets.ts';
import { instances } from '../../db/tables/identity.ts';
import type { UsageByUser } from './schemas.ts';

/** Returns the version of PostgreSQL, as '15.14'. */
export async function readDatabaseVersion(db: Db): Promise<string> {
  const row = getRow(
    await queryRows(
      db,
      { version: column.text },
      sql`select split_part(current_setting('server_version'), ' ', 1) as version`,
    ),
  );
  return row.version;
}

const selectUsage = prepareQuery(
  {
    photos: column.numeric.orNull,
    quotaSizeInBytes: column.bigint.orNull,
    usage: column.numeric.orNull,
    usagePhotos: column.numeric.orNull,
    usageVideos: column.numeric.orNull,
    userId: column.uuid,
    userName: column.text,
    videos: column.numeric.orNull,
  },
  sql`
    select app_user.id as "userId", app_user.name as "userName",
      app_user.quota_bytes as "quotaSizeInBytes",
      coalesce(sum(assets) filter (where type = 'IMAGE' and visibility <> 'hidden'), 0) as photos,
      coalesce(sum(assets) filter (where type = 'VIDEO' and visibility <> 'hidden'), 0) as videos,
      coalesce(sum(bytes) filter (where type = 'IMAGE'), 0) as "usagePhotos",
      coalesce(sum(bytes) filter (where type = 'VIDEO'), 0) as "usageVideos",
      coalesce(sum(bytes), 0) as usage
    from app_user left join asset_count on owner_id = app_user.id and not is_trashed
      and not is_locked
    where app_user.deleted_at is null
    group by app_user.id
    order by app_user.created_at, app_user.id`,
);

/**
 * Returns the usage of each active account, without items in the trash or in Locked. Reads the counts
 * that triggers keep, not the assets.
 */
export async function listUsageByUser(db: Db): Promise<UsageByUser[]> {
  const rows = await selectUsage(db);
  return rows.map((row) => ({
    photos: Number(row.photos),
    quotaSizeInBytes: row.quotaSizeInBytes === null ? null : Number(row.quotaSizeInBytes),
    usage: Number(row.usage),
    usagePhotos: Number(row.usagePhotos),
    usageVideos: Number(row.usageVideos),
    userId: row.userId,
    userName: row.userName,
    videos: Number(row.videos),
  }));
}

/** Returns false if the warning is in force already. */
export async function setDiskWarning(db: Db, now: Date): Promise<boolean> {
  const rows = await db
    .update(instances)
    .set({ diskWarnedAt: now })
    .where(isNull(instances.diskWarnedAt))
    .returning({ id: instances.id });
  return rows.length > 0;
}

export async function clearDiskWarning(db: Db): Promise<void> {
  await db.update(instances).set({ diskWarnedAt: null }).where(isNotNull(instances.diskWarnedAt));
}

/** Returns false if a warning after `since` is in force already. */
export async function setBackupWarning(db: Db, now: Date, since: Date): Promise<boolean> {
  const rows = await db
    .update(instances)
    .set({ backupWarnedAt: now })
    .where(or(isNull(instances.backupWarnedAt), lte(instances.backupWarnedAt, since)))
    .returning({ id: instances.id });
  return rows.length > 0;
}

export async function clearBackupWarning(db: Db): Promise<void> {
  await db
    .update(instances)
    .set({ backupWarnedAt: null })
    .where(isNotNull(instances.backupWarnedAt));
}

export const countDamagedOriginals = (db: Db): Promise<number> =>
  db.$count(originals, isNotNull(originals.missingAt));

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

const POOL_COLUMNS = {
  pool: column.text,
  /** Connections that run a statement or are within a transaction; without the one that asks. */
  busy: column.integer,
  idle: column.integer,
};
type PoolRow = InferRow<typeof POOL_COLUMNS>;

const selectPools = prepareQuery(
  POOL_COLUMNS,
  sql`
  select substr(application_name, ${POOL_PREFIX.length + 1}) as pool,
    count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::int as busy,
    count(*) filter (where state = 'idle')::int as idle
  from pg_stat_activity
  where datname = current_database() and starts_with(application_name, ${POOL_PREFIX})
  group by 1 order by 1`,
);

/** Returns the connections to this database by pool, of all processes. */
export const listPools = (db: Db): Promise<PoolRow[]> => selectPools(db);
