import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';
import { TAG_COLUMNS, tagAssets, tags, type TagRow } from '../../db/tables/tags.ts';
import type { TagStatistics } from './schemas.ts';
import { countSuppressedByTag } from './suppressed.store.ts';
import { uuids } from '../../db/arrays.ts';
import { checkedAssets } from '../../access/unscoped.ts';

export const listTags = (db: Db, ownerId: string): Promise<TagRow[]> =>
  db
    .select(TAG_COLUMNS)
    .from(tags)
    .where(eq(tags.ownerId, ownerId))
    .orderBy(sql`fold_text(${tags.value})`, asc(tags.value));

export async function findTag(db: Db, ownerId: string, id: string): Promise<TagRow | undefined> {
  const [row] = await db
    .select(TAG_COLUMNS)
    .from(tags)
    .where(and(eq(tags.id, id), eq(tags.ownerId, ownerId)));
  return row;
}

/** Locks the tree of the owner until the transaction ends. */
export async function lockTree(db: Db, ownerId: string): Promise<void> {
  await queryRows(db, sql`select pg_advisory_xact_lock(hashtext('tag'), hashtext(${ownerId}))`);
}

export type NewTag = Pick<typeof tags.$inferInsert, 'value' | 'parentId' | 'color'>;

/** Inserts tags; skips existing paths. Returns the inserted rows. */
export const insertTags = (db: Db, ownerId: string, wanted: readonly NewTag[]): Promise<TagRow[]> =>
  db
    .insert(tags)
    .values(wanted.map((tag) => ({ ownerId, ...tag })))
    .onConflictDoNothing()
    .returning(TAG_COLUMNS);

/** Returns the owner's tags with these paths. */
export const listTagsByValue = (db: Db, ownerId: string, values: readonly string[]) =>
  db
    .select(TAG_COLUMNS)
    .from(tags)
    .where(and(eq(tags.ownerId, ownerId), inArray(tags.value, [...values])));

export type TagChange = Pick<TagRow, 'value' | 'color' | 'parentId'>;

/** Updates the tag, the paths of its descendants and the counts. Throws a unique violation when a path is taken. */
export async function updateTag(db: Db, tag: TagRow, change: TagChange, now: Date): Promise<void> {
  if (change.parentId === tag.parentId) return updatePaths(db, tag, change, now);
  await lockSubtree(db, tag.id);
  await addSubtreeToCounts(db, tag.id, -1);
  await updatePaths(db, tag, change, now);
  await addSubtreeToCounts(db, tag.id, 1);
}

async function updatePaths(db: Db, tag: TagRow, change: TagChange, now: Date): Promise<void> {
  await db
    .update(tags)
    .set({ ...change, updatedAt: now })
    .where(eq(tags.id, tag.id));
  if (change.value === tag.value) return;
  await queryRows(
    db,
    sql`
    with recursive below as (
      select id from tag where parent_id = ${tag.id}
      union all select tag.id from tag join below on tag.parent_id = below.id
    )
    update tag set updated_at = ${now.toISOString()},
      value = ${change.value}::text || substring(value from length(${tag.value}::text) + 1)
    where id in (select id from below)`,
  );
}

/** Returns the length of the longest path among the descendants, in bytes; 0 without any. */
export async function findLongestDescendant(db: Db, id: string): Promise<number> {
  const [row] = await queryRows(
    db,
    { longest: column.integer },
    sql`
    with recursive below as (
      select id, value from tag where parent_id = ${id}
      union all select tag.id, tag.value from tag join below on tag.parent_id = below.id
    ) select coalesce(max(octet_length(value)), 0) as longest from below`,
  );
  return row?.longest ?? 0;
}

/** Deletes the tag and its descendants. */
export async function deleteTag(db: Db, ownerId: string, id: string): Promise<void> {
  await db.delete(tags).where(and(eq(tags.id, id), eq(tags.ownerId, ownerId)));
}

/** Selects the owner's tags that no asset in any state has, nor one of their descendants. */
const selectUnused = (ownerId: string) => sql`
  with recursive used as (
    select id, parent_id from tag
    where owner_id = ${ownerId} and exists (select from tag_asset where tag_id = tag.id)
    union select tag.id, tag.parent_id from tag join used on tag.id = used.parent_id
  )
  select id from tag where owner_id = ${ownerId} and id not in (select id from used)`;

/** Deletes the unused tags of an account whose tree is locked. */
export async function deleteUnusedTags(db: Db, ownerId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    select from tag where id in (${selectUnused(ownerId)}) order by id for update`,
  );
  // An asset may have been tagged until the tags were locked.
  await queryRows(db, sql`delete from tag where id in (${selectUnused(ownerId)})`);
}

/** Returns those of `ids` that are tags of the account. */
export async function filterOwnTags(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ id: tags.id })
    .from(tags)
    .where(and(sql`${tags.id} = any(${uuids(ids)})`, eq(tags.ownerId, ownerId)));
  return new Set(rows.map(({ id }) => id));
}

/** Returns the owner's tags among `ids`, locked against deletion. */
export async function lockOwnTags(db: Db, ownerId: string, ids: readonly string[]) {
  const rows = await db
    .select({ id: tags.id })
    .from(tags)
    .where(and(sql`${tags.id} = any(${uuids(ids)})`, eq(tags.ownerId, ownerId)))
    .orderBy(tags.id)
    .for('key share');
  return rows.map((row) => row.id);
}

/** Returns the ids that did not have the tag before. */
export async function linkAssets(db: Db, tagId: string, assetIds: readonly string[]) {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    insert into tag_asset (tag_id, asset_id)
    select ${tagId}, id from unnest(${uuids(assetIds)}) id
    on conflict do nothing
    returning asset_id as id`,
  );
  return new Set(rows.map((row) => row.id));
}

/** Returns those of these paths that are tags of the asset, with the ids of the tags. */
export async function findTagsOfAsset(
  db: Db,
  assetId: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .select({ id: tags.id, value: tags.value })
    .from(tags)
    .innerJoin(tagAssets, eq(tagAssets.tagId, tags.id))
    .where(and(eq(tagAssets.assetId, assetId), inArray(tags.value, [...values])));
  return new Map(rows.map(({ id, value }) => [value, id]));
}

/** Returns the ids that had the tag. */
export async function unlinkAssets(db: Db, tagId: string, assetIds: readonly string[]) {
  const rows = await db
    .delete(tagAssets)
    .where(and(eq(tagAssets.tagId, tagId), sql`${tagAssets.assetId} = any(${uuids(assetIds)})`))
    .returning({ id: tagAssets.assetId });
  return new Set(rows.map((row) => row.id));
}

/**
 * Sums of the delta rows, a few rows per tag, however many assets there are; less what active rules
 * of the caller leave out.
 */
export async function sumByTag(db: Db, session: UserSession): Promise<TagStatistics[]> {
  const ownerId = session.userId;
  const less = await countSuppressedByTag(db, session);
  const rows = await queryPrepared(
    db,
    { tagId: column.uuid, count: column.numeric, totalCount: column.numeric },
    sql`select tag.id as "tagId", coalesce(sum.assets, 0) as count,
        coalesce(sum.total, 0) as "totalCount"
      from tag left join (
        select tag_id, sum(assets) as assets, sum(total) as total from tag_count
        where owner_id = ${ownerId} group by tag_id
      ) sum on sum.tag_id = tag.id
      where tag.owner_id = ${ownerId} order by tag.value collate "C"`,
  );
  return rows.map(({ tagId, count, totalCount }) => ({
    tagId,
    count: Number(count) - (less.get(tagId)?.count ?? 0),
    totalCount: Number(totalCount) - (less.get(tagId)?.total ?? 0),
  }));
}

/**
 * Locks the tag, its descendants and their assets until the transaction ends: call it before moving tags.
 * Locks tags before assets, like all writers.
 */
async function lockSubtree(db: Db, tagId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    select 1 from tag where id in (select tags_below(${tagId})) order by id for update`,
  );
  await queryRows(
    db,
    sql`
    select count(*) from (
      select 1 from ${checkedAssets} where id in (
        select asset_id from tag_asset where tag_id in (select tags_below(${tagId}))
      ) order by id for no key update
    ) held`,
  );
}

/** Subtracts the Timeline items of the subtree from the tag counts (-1), or adds them (1). */
async function addSubtreeToCounts(db: Db, tagId: string, sign: 1 | -1): Promise<void> {
  await queryRows(
    db,
    sql`
    select count_tags(array(
      select id from ${checkedAssets} where id in (
        select asset_id from tag_asset where tag_id in (select tags_below(${tagId}))
      ) and is_on_timeline(visibility, locked_at, trashed_at)
    ), ${sign})`,
  );
}
