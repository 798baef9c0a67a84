import { and, desc, eq, gt, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../access/unscoped.ts';
import { integers } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import {
  type ApplyRow,
  type CopyRow,
  deduplicationApplies,
  deduplicationCopies,
} from '../../db/tables/physical-deduplication.ts';

export async function deleteCopies(db: Db, planId: string): Promise<void> {
  await db.delete(deduplicationCopies).where(eq(deduplicationCopies.planId, planId));
}

export type PlanOptions = {
  readonly planId: string;
  readonly retainUserId: string | null;
  readonly reviewUserId: string | null;
  readonly masterUserId: string | null;
  /** Ids of files of libraries that are left out. */
  readonly stale: readonly number[];
};

/** Digests are divided into as many ranges by their first bits, each of which reads the library once. */
export const SLICES = 4;

const INSERTED_COLUMNS = {
  /** Digest of the evidence of these copies. */
  evidence: column.bytea,
  /** Without the retained files. */
  reclaimableBytes: column.float,
};
type InsertedCopies = InferRow<typeof INSERTED_COLUMNS>;

/**
 * Adds the groups of one range of digests to a plan. The file in our store is retained, since nobody else
 * changes it; without one a file of the account to retain, of the master account, or of the account that is
 * not reviewed, in this order. Ids begin as digests do: inserts in the order of digests append to the indexes.
 */
export async function insertCopies(
  db: Db,
  { planId, retainUserId, reviewUserId, masterUserId, stale }: PlanOptions,
  slice: number,
): Promise<InsertedCopies> {
  const retain = sql`${retainUserId}::uuid`;
  const review = sql`${reviewUserId}::uuid`;
  const is = (account: SQL) => sql`coalesce(owner_id = ${account}, false)`;
  const rows = await queryRows(
    db,
    INSERTED_COLUMNS,
    sql`
    with listed as (
      select id as file_id, sha256, path, size, inode, modified_us, asset_id,
        count(*) over (partition by sha256) as files
      from library_file
      where ${isInSlice(sql`sha256`, slice)} and asset_id is not null and unseen_at is null
        and not is_released and id <> all(${integers(stale)})
    ), file as materialized (
      select listed.*, asset.owner_id, asset.sha1, original.path is null as is_stored,
        1 + (original.path is not distinct from listed.path)::int as reference_count
      from listed join original on original.sha256 = listed.sha256
      -- Equal digests would be looked up in the index of contents, which finds each item of a content for each copy.
      join ${backgroundAssets} on asset.id = listed.asset_id
        and asset.sha256 is not distinct from listed.sha256
      where (listed.files > 1 or original.path is null) and original.missing_at is null
        and original.object_key is null and asset.trashed_at is null
    ), stored as (
      select null::bigint as file_id, content.sha256, null::text as path, content.size,
        item.asset_id, item.owner_id, item.sha1, 1 + item.uploads as reference_count
      from (select distinct sha256, size from file where is_stored) content
      cross join lateral (
        select asset.id as asset_id, asset.owner_id, asset.sha1,
          (count(*) filter (where asset.library_id is null) over ())::int as uploads
        from ${backgroundAssets} where asset.sha256 = content.sha256
        order by asset.library_id is not null, ${is(retain)} desc, asset.created_at, asset.id
        limit 1
      ) item
    ), candidate as (
      select file_id, sha256, path, size, asset_id, owner_id, sha1, reference_count, inode, modified_us
      from file
      union all
      select file_id, sha256, path, size, asset_id, owner_id, sha1, reference_count, null, null
      from stored
    ), identified as (
      select *, overlay(gen_random_uuid()::text placing encode(substr(sha256, 1, 4), 'hex') from 1)::uuid as id
      from candidate
    ), grouped as (
      select *, first_value(id) over preferred as group_id,
        first_value(inode) over preferred as group_inode,
        first_value(modified_us) over preferred as group_modified_us
      from identified
      window preferred as (
        partition by sha256 order by file_id is not null, ${is(retain)} desc,
          ${is(sql`${masterUserId}::uuid`)} desc, ${is(review)}, reference_count desc, file_id
        rows between unbounded preceding and unbounded following)
    ), chosen as (
      select *, bool_or(id <> group_id) over (partition by sha256) as has_copies from grouped
      where id = group_id or not ${is(retain)}
        and (${review} is null or owner_id = ${review})
        -- Another name of the same file.
        and (inode, modified_us) is distinct from (group_inode, group_modified_us)
    ), copy as (
      insert into deduplication_copy (id, plan_id, group_id, file_id, asset_id, owner_id, path, size,
        sha256, sha1, reference_count)
      select id, ${planId}::uuid, group_id, file_id, asset_id, owner_id, path, size, sha256, sha1,
        reference_count
      from chosen where has_copies returning *
    )
    select sha256(coalesce(string_agg(sha256(convert_to(
        concat_ws('|', id, group_id, file_id, asset_id, owner_id, size, sha256, reference_count, path),
        'UTF8')), ''::bytea order by id), ''::bytea)) as evidence,
      coalesce(sum(size) filter (where id <> group_id), 0)::float8 as "reclaimableBytes"
    from copy`,
  );
  return getRow(rows);
}

function isInSlice(column: SQL, slice: number): SQL {
  const toBound = (part: number) => Buffer.from([(part * 256) / SLICES]);
  const from = sql`${column} >= ${toBound(slice)}::bytea`;
  return slice + 1 < SLICES
    ? sql`(${from} and ${column} < ${toBound(slice + 1)}::bytea)`
    : sql`${from}`;
}

/** Returns the bytes that uploads would need more if each had a file of its own. */
export async function sumShared(db: Db): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { bytes: column.float },
      sql`
    select coalesce(sum((uploads - 1) * size), 0)::float8 as bytes from (
      select sha256, count(*) as uploads from ${backgroundAssets}
      where library_id is null
      group by sha256 having count(*) > 1
    ) shared join original using (sha256)
    where original.path is null and original.object_key is null`,
    ),
  );
  return row.bytes;
}

const LISTED_COPY_COLUMNS = {
  id: column.uuid,
  groupId: column.uuid,
  assetId: column.uuid,
  ownerId: column.uuid,
  /** Null: the account is gone. */
  ownerName: column.text.orNull,
  path: column.text.orNull,
  size: column.float,
  sha256: column.bytea,
  sha1: column.bytea,
  referenceCount: column.integer,
  decision: column.text.as<CopyRow['decision']>(),
  problem: column.text.orNull,
};
export type ListedCopy = InferRow<typeof LISTED_COPY_COLUMNS>;
type GroupPosition = { readonly size: number; readonly groupId: string };

export async function findGroup(
  db: Db,
  planId: string,
  groupId: string,
): Promise<GroupPosition | undefined> {
  const [row] = await db
    .select({ size: deduplicationCopies.size, groupId: deduplicationCopies.groupId })
    .from(deduplicationCopies)
    .where(and(eq(deduplicationCopies.planId, planId), eq(deduplicationCopies.id, groupId)));
  return row;
}

/** Returns a page of groups, the largest files first: of each the retained file, and then its copies. */
export function listGroups(
  db: Db,
  planId: string,
  { after, limit }: { readonly after: GroupPosition | undefined; readonly limit: number },
): Promise<ListedCopy[]> {
  const isBehind = after
    ? sql`(size < ${after.size}::bigint or size = ${after.size}::bigint and group_id > ${after.groupId}::uuid)`
    : sql`true`;
  return queryRows(
    db,
    LISTED_COPY_COLUMNS,
    sql`
    select copy.id, copy.group_id as "groupId", copy.asset_id as "assetId",
      copy.owner_id as "ownerId", owner.name as "ownerName", copy.path, copy.size::float8 as size,
      copy.sha256, copy.sha1, copy.reference_count as "referenceCount", copy.decision, copy.problem
    from (
      select group_id, size from deduplication_copy
      where plan_id = ${planId}::uuid and id = group_id and ${isBehind}
      order by size desc, group_id limit ${limit}
    ) page
    join deduplication_copy copy on copy.plan_id = ${planId}::uuid and copy.size = page.size
      and copy.group_id = page.group_id
    left join app_user owner on owner.id = copy.owner_id
    order by copy.size desc, copy.group_id, copy.id <> copy.group_id, copy.id`,
  );
}

/** Returns the runs that are not over, or ended after a time; newest first. */
export const listApplies = (db: Db, after: Date): Promise<ApplyRow[]> =>
  db
    .select()
    .from(deduplicationApplies)
    .where(
      or(
        inArray(deduplicationApplies.status, ['queued', 'running']),
        gt(deduplicationApplies.finishedAt, after),
      ),
    )
    .orderBy(desc(deduplicationApplies.startedAt), desc(deduplicationApplies.id));

/** Returns the number of copies whose file, owner, content or references are not those of the plan any more. */
export async function countChanged(db: Db, planId: string): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { changed: column.integer },
      sql`
    select count(*)::int as changed
    from deduplication_copy copy
    left join original on original.sha256 = copy.sha256
    left join ${backgroundAssets} on asset.id = copy.asset_id and asset.owner_id = copy.owner_id
      and asset.sha256 = copy.sha256
    left join library_file file on file.id = copy.file_id and file.path = copy.path
      and file.sha256 = copy.sha256 and file.asset_id = copy.asset_id and file.unseen_at is null
    where copy.plan_id = ${planId}::uuid and not coalesce(
      original.missing_at is null and asset.id is not null and case when copy.file_id is null
        then original.sha256 is not null and original.path is null and original.object_key is null
          and copy.reference_count = 1 + (select count(*) from ${backgroundAssets} upload
            where upload.sha256 = copy.sha256 and upload.library_id is null)
        else file.id is not null
          and copy.reference_count = 1 + (original.path is not distinct from file.path)::int end,
      false)`,
    ),
  );
  return row.changed;
}

export type DecisionInput = { readonly copyId: string; readonly decision: CopyRow['decision'] };

/** Saves decisions about copies of a plan. Returns how many of them it has. */
export async function saveDecisions(
  db: Db,
  planId: string,
  decisions: readonly DecisionInput[],
): Promise<number> {
  const rows = await queryRows(
    db,
    sql`
    update deduplication_copy copy set decision = given.decision
    from jsonb_to_recordset(${JSON.stringify(decisions)}::jsonb) given ("copyId" uuid, decision text)
    where copy.id = given."copyId" and copy.plan_id = ${planId}::uuid and copy.id <> copy.group_id
    returning copy.id`,
  );
  return rows.length;
}

export type DecisionCounts = {
  readonly approved: number;
  readonly rejected: number;
  readonly undecided: number;
  /** The bytes of approved copies. */
  readonly bytes: number;
};

export async function countDecisions(db: Db, planId: string): Promise<DecisionCounts> {
  const { decision, size, id, groupId } = deduplicationCopies;
  const count = (value: CopyRow['decision']) =>
    sql<number>`(count(*) filter (where ${decision} = ${value}))::int`;
  const row = getRow(
    await db
      .select({
        approved: count('approve'),
        rejected: count('reject'),
        undecided: count('undecided'),
        bytes: sql<number>`coalesce(sum(${size}) filter (where ${decision} = 'approve'), 0)::float8`,
      })
      .from(deduplicationCopies)
      .where(and(eq(deduplicationCopies.planId, planId), ne(id, groupId))),
  );
  return row;
}
