import { and, count, eq, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../access/unscoped.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { hasJob } from '../../jobs/queue.ts';
import {
  type ApplyRow,
  type CopyRow,
  deduplicationApplies,
  deduplicationCopies,
} from '../../db/tables/physical-deduplication.ts';

/** A copy with a file of a library, and the file that is retained instead. */
const COPY_COLUMNS = {
  id: column.uuid,
  planId: column.uuid,
  groupId: column.uuid,
  fileId: column.float,
  assetId: column.uuid,
  ownerId: column.uuid,
  path: column.text,
  size: column.float,
  sha256: column.bytea,
  state: column.text.as<NonNullable<CopyRow['state']>>().orNull,
  formerFile: column.text.as<NonNullable<CopyRow['formerFile']>>().orNull,
  retainedPath: column.text.orNull,
};
export type Copy = InferRow<typeof COPY_COLUMNS>;

const COLUMNS = sql.raw(`copy.id, copy.plan_id as "planId", copy.group_id as "groupId",
  copy.file_id::float8 as "fileId", copy.asset_id as "assetId", copy.owner_id as "ownerId", copy.path,
  copy.size::float8 as size, copy.sha256, copy.state, copy.former_file as "formerFile",
  retained.path as "retainedPath"`);
const COPY = sql.raw(`deduplication_copy copy
  join deduplication_copy retained on retained.id = copy.group_id and copy.id <> copy.group_id`);

export async function countApproved(db: Db, planId: string): Promise<number> {
  const row = getRow(
    await db
      .select({ copies: count() })
      .from(deduplicationCopies)
      .where(
        and(eq(deduplicationCopies.planId, planId), eq(deduplicationCopies.decision, 'approve')),
      ),
  );
  return row.copies;
}

export async function insertApply(
  db: Db,
  apply: typeof deduplicationApplies.$inferInsert,
): Promise<string> {
  const row = getRow(await db.insert(deduplicationApplies).values(apply).returning());
  return row.id;
}

export async function findApply(db: Db, id: string): Promise<ApplyRow | undefined> {
  const [row] = await db.select().from(deduplicationApplies).where(eq(deduplicationApplies.id, id));
  return row;
}

export async function updateApply(db: Db, id: string, change: Partial<ApplyRow>): Promise<void> {
  await db.update(deduplicationApplies).set(change).where(eq(deduplicationApplies.id, id));
}

/** Returns the runs that are not over and have no job. */
export const listAbandoned = (db: Db): Promise<Pick<ApplyRow, 'id' | 'planId'>[]> =>
  queryRows(
    db,
    { id: column.uuid, planId: column.uuid },
    sql`
    select id, plan_id as "planId" from deduplication_apply
    where status in ('queued', 'running')
      and not ${hasJob('physicalDeduplication.apply', sql`deduplication_apply.id::text`)}`,
  );

/** Returns approved copies that nothing was done about. */
export const listPending = (db: Db, planId: string, limit: number): Promise<Copy[]> =>
  queryRows(
    db,
    COPY_COLUMNS,
    sql`
    select ${COLUMNS} from ${COPY}
    where copy.plan_id = ${planId}::uuid and copy.decision = 'approve' and copy.state is null
    order by copy.size desc, copy.group_id, copy.id limit ${limit}`,
  );

/** Returns copies whose files have to be moved to the quarantine. */
export const listUnmoved = (db: Db, planId: string): Promise<Copy[]> =>
  queryRows(
    db,
    COPY_COLUMNS,
    sql`
    select ${COLUMNS} from ${COPY}
    where copy.plan_id = ${planId}::uuid and copy.state = 'applied'
      and copy.former_file = 'quarantine' and copy.quarantined_at is null
    order by copy.id`,
  );

/** Returns copies of a plan that were applied, restored ones too; with `ids` those among them. */
export const listApplied = (db: Db, planId: string, ids?: readonly string[]): Promise<Copy[]> =>
  queryRows(
    db,
    COPY_COLUMNS,
    sql`
    select ${COLUMNS} from ${COPY}
    where copy.plan_id = ${planId}::uuid and copy.state in ('applied', 'restored')
      ${ids ? sql`and copy.id = any(${uuids(ids)})` : sql``}
    order by copy.size desc, copy.group_id, copy.id`,
  );

/** Locks a content until the commit, and then a copy of it. Returns undefined if it is in another state. */
export async function lockApplied(db: Db, { id, sha256 }: Copy): Promise<CopyRow | undefined> {
  await lockContent(db, sha256);
  const [row] = await db
    .select()
    .from(deduplicationCopies)
    .where(and(eq(deduplicationCopies.id, id), eq(deduplicationCopies.state, 'applied')))
    .for('update');
  return row;
}

export async function lockContent(db: Db, sha256: Uint8Array): Promise<void> {
  await queryRows(db, sql`select 1 from original where sha256 = ${sha256} for no key update`);
}

/** Whether a copy and the file that is retained are still what the plan says. */
export async function isCurrent(db: Db, { id, groupId }: Copy): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select from deduplication_copy copy
    join original on original.sha256 = copy.sha256 and original.missing_at is null
    join ${backgroundAssets} on asset.id = copy.asset_id and asset.owner_id = copy.owner_id
      and asset.sha256 = copy.sha256
    left join library_file file on file.id = copy.file_id and file.path = copy.path
      and file.sha256 = copy.sha256 and file.asset_id = copy.asset_id
      and file.unseen_at is null and not file.is_released
    where copy.id in (${id}::uuid, ${groupId}::uuid)
      and case when copy.file_id is null then original.path is null and original.object_key is null
        else file.id is not null end`,
  );
  return rows.length === 2;
}

/** Lets the items of a content be read from the retained file: the file of the copy may be gone. */
export async function releaseFile(db: Db, { sha256, fileId, retainedPath }: Copy): Promise<void> {
  await queryRows(db, sql`update library_file set is_released = true where id = ${fileId}::bigint`);
  if (retainedPath === null) return;
  await queryRows(
    db,
    sql`
    update original set path = ${retainedPath} where sha256 = ${sha256} and path is not null`,
  );
}

/** Lets the items of a content be read from the file of the copy again. Returns false if there is no such item. */
export async function takeBackFile(db: Db, copy: Copy): Promise<boolean> {
  const { sha256, fileId, assetId, path } = copy;
  const files = await queryRows(
    db,
    sql`
    update library_file file set is_released = false, is_left_out = false, unseen_at = null,
      missing_at = null
    from ${backgroundAssets}
    where file.id = ${fileId}::bigint and file.path = ${path} and file.asset_id = ${assetId}::uuid
      and asset.id = file.asset_id and asset.sha256 = ${sha256}
    returning file.id`,
  );
  if (files.length === 0) return false;
  await queryRows(
    db,
    sql`update original set path = ${path} where sha256 = ${sha256} and path is not null`,
  );
  await queryRows(
    db,
    sql`
    update ${backgroundAssets} set offline_at = null, updated_at = now()
    where asset.id = ${assetId}::uuid and offline_at is not null`,
  );
  return true;
}

export async function updateCopy(db: Db, id: string, change: Partial<CopyRow>): Promise<void> {
  await db.update(deduplicationCopies).set(change).where(eq(deduplicationCopies.id, id));
}

export type Progress = {
  readonly processed?: number;
  readonly failed?: number;
  readonly reclaimedBytes?: number;
};

export async function addProgress(
  db: Db,
  planId: string,
  { processed = 0, failed = 0, reclaimedBytes = 0 }: Progress,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update deduplication_apply set processed = processed + ${processed}::int,
      failed = failed + ${failed}::int,
      reclaimed_bytes = reclaimed_bytes + ${reclaimedBytes}::bigint
    where plan_id = ${planId}::uuid`,
  );
}

/** Returns copies whose files were moved to the quarantine before a time, after the one with this id. */
export const listQuarantined = (
  db: Db,
  before: Date,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Copy[]> =>
  queryRows(
    db,
    COPY_COLUMNS,
    sql`
    select ${COLUMNS} from ${COPY}
    where copy.quarantined_at < ${before.toISOString()}::timestamptz and copy.purged_at is null
      and copy.state = 'applied' and copy.id > ${after ?? NO_ID}::uuid
    order by copy.id limit ${limit}`,
  );

const NO_ID = '00000000-0000-0000-0000-000000000000';
