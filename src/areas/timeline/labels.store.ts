import { and, type SQL, sql } from 'drizzle-orm';
import { checkedAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';
import { type BucketCount, equalsAny, equalsAnyDay, type Selection } from './store.ts';

/** Returns the ids of the tag and its descendants, sorted; none for a tag of another user. */
export async function listOwnTagSubtree(
  db: Db,
  ownerId: string,
  tagId: string,
): Promise<readonly string[]> {
  // One row with all ids is cheaper than an object per row.
  const [row] = await queryPrepared(
    db,
    { ids: column.text.orNull },
    sql`with recursive below as (
        select id from tag where id = ${tagId}::uuid and owner_id = ${ownerId}::uuid
        union all select tag.id from tag join below on tag.parent_id = below.id
      ) select string_agg(id::text, ',' order by id) as ids from below`,
  );
  return row?.ids?.split(',') ?? [];
}

export async function isOwnPerson(db: Db, ownerId: string, personId: string): Promise<boolean> {
  const rows = await queryPrepared(
    db,
    sql`select 1 from person where id = ${personId}::uuid and owner_id = ${ownerId}::uuid`,
  );
  return rows.length > 0;
}

/** All own items of a Timeline or a library with one of these tags, or of this person. */
export type LabelSelection = {
  readonly scope: 'timeline' | 'library';
  readonly ownerId: string;
  /** The rows of its labels, named link, with their condition. */
  readonly link: SQL;
};

/**
 * Returns the selection if it filters by tags or by a person alone. Both are labels of own items only: those of partners
 * never match.
 */
export function toLabelSelection(
  selection: Selection & { readonly owners: readonly string[] },
  viewerId: string | undefined,
): LabelSelection | undefined {
  const { scope, owners, tagIds, personId, visibility, isFavorite, type, model } = selection;
  if (viewerId === undefined || !owners.includes(viewerId)) return undefined;
  if (scope !== 'timeline' && scope !== 'library') return undefined;
  const filters = [visibility, isFavorite, type, model];
  if (selection.withoutStackChildren || filters.some((value) => value !== undefined)) {
    return undefined;
  }
  if (tagIds && personId === undefined) {
    return {
      scope,
      ownerId: viewerId,
      link: sql`tag_asset link where link.tag_id = ${equalsAny(tagIds)}`,
    };
  }
  if (tagIds || personId === undefined) return undefined;
  const link = sql`face link where link.person_id = ${personId}::uuid and not link.is_hidden`;
  return { scope, ownerId: viewerId, link };
}

/**
 * Counts the items by month. Reads no asset: the labels have the month, and what is not listed is in indexes of its
 * own. Joined with the assets, the months of a tag read all of the library.
 */
export async function countLabelledByMonth(
  db: Db,
  { scope, ownerId, link }: LabelSelection,
  months: readonly string[] | undefined,
): Promise<BucketCount[]> {
  const isLeftOut = (condition: SQL) => sql`exists (
    select from ${checkedAssets} where asset.id = link.asset_id and ${condition})`;
  const isUnlisted = sql`(asset.visibility = 'hidden' or asset.locked_at is not null
    or asset.trashed_at is not null)`;
  const isArchived = sql`asset.owner_id = ${ownerId}::uuid and asset.visibility = 'archive'
    and asset.locked_at is null and asset.trashed_at is null`;
  return queryRows(
    db,
    { month: column.text, assets: column.bigint },
    sql`select link.local_month::text as month, count(distinct link.asset_id) as assets
      from ${link} and ${and(
        months && sql`link.local_month = ${equalsAnyDay(months)}`,
        sql`not ${isLeftOut(isUnlisted)}`,
        scope === 'timeline' ? sql`not ${isLeftOut(isArchived)}` : undefined,
      )}
      group by link.local_month`,
  );
}
