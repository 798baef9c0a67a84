import { and, eq, sql } from 'drizzle-orm';
import { listLockedTags } from '../../access/locked-labels.ts';
import { requireUser, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { tags } from '../../db/tables/tags.ts';
import { suppressedByTag } from './suppressed.store.ts';
import { uuids } from '../../db/arrays.ts';

export type TagCard = {
  readonly title: string;
  /** Timeline items with the tag or one below it. */
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** The caller's tags among `ids`; a Timeline item stands for each. */
export async function tagCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, TagCard>> {
  if (ids.length === 0) return new Map();
  const less = await suppressedByTag(db, requireUser(session));
  const locked = await listLockedTags(db, requireUser(session));
  const known = ids.filter((id) => !locked.has(id));
  const rows = await db
    .select({
      id: tags.id,
      value: tags.value,
      count: sql`coalesce(
        (select sum(total) from tag_count where tag_id = tag.id), 0)`.mapWith(Number),
      coverAssetId: firstOf(db, session),
    })
    .from(tags)
    .where(
      and(eq(tags.ownerId, requireUser(session).userId), sql`${tags.id} = any(${uuids(known)})`),
    );
  return new Map(
    rows.map(({ id, value, count, coverAssetId }) => [
      id,
      {
        title: value.slice(value.lastIndexOf('/') + 1),
        count: count - (less.get(id)?.total ?? 0),
        coverAssetId,
      },
    ]),
  );
}

/**
 * The first in the order of the index that is shown: one that stays when others come. The newest one
 * would cost a look at every item with the tag.
 */
const firstOf = (db: Db, session: Session) => sql<string | null>`(
  with recursive below (id) as (
    select tag.id
    union all select child.id from tag child join below on child.parent_id = below.id
  )
  select first.asset_id from below cross join lateral (
    select tag_asset.asset_id from tag_asset
    join ${ownAssets(db, session, 'timeline')} on asset.id = tag_asset.asset_id
    where tag_asset.tag_id = below.id order by tag_asset.asset_id limit 1) first
  order by first.asset_id limit 1)`;
