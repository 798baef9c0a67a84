import { and, eq, sql } from 'drizzle-orm';
import { listLockedTags } from '../../access/locked-labels.ts';
import { requireUser, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { TAG_NAME, tags } from '../../db/tables/tags.ts';
import { countSuppressedByTag } from './suppressed.store.ts';
import { uuids } from '../../db/arrays.ts';

export type TagCard = {
  readonly title: string;
  /** Number of Timeline items with the tag or a descendant. */
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** Returns cards of the caller's tags among `ids`, each with a Timeline item as cover. */
export async function getTagCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, TagCard>> {
  if (ids.length === 0) return new Map();
  const less = await countSuppressedByTag(db, requireUser(session));
  const locked = await listLockedTags(db, requireUser(session));
  const known = ids.filter((id) => !locked.has(id));
  const rows = await db
    .select({
      id: tags.id,
      title: TAG_NAME,
      count: sql`coalesce(
        (select sum(total) from tag_count where tag_id = tag.id), 0)`.mapWith(Number),
      coverAssetId: selectFirst(db, session),
    })
    .from(tags)
    .where(
      and(eq(tags.ownerId, requireUser(session).userId), sql`${tags.id} = any(${uuids(known)})`),
    );
  return new Map(
    rows.map(({ id, title, count, coverAssetId }) => [
      id,
      { title, count: count - (less.get(id)?.total ?? 0), coverAssetId },
    ]),
  );
}

/**
 * Selects the first listed item in index order, which stays the same when items are added. The newest one
 * would cost a scan of every item with the tag.
 */
const selectFirst = (db: Db, session: Session) => sql<string | null>`(
  with recursive below (id) as (
    select tag.id
    union all select child.id from tag child join below on child.parent_id = below.id
  )
  select first.asset_id from below cross join lateral (
    select tag_asset.asset_id from tag_asset
    join ${ownAssets(db, session, 'timeline')} on asset.id = tag_asset.asset_id
    where tag_asset.tag_id = below.id order by tag_asset.asset_id limit 1) first
  order by first.asset_id limit 1)`;
