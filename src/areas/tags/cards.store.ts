import { and, eq, sql } from 'drizzle-orm';
import { asUser, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { tags } from '../../db/tables/organisation.ts';

export type TagCard = {
  readonly title: string;
  /** Timeline items with the tag or one below it. */
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** The caller's tags among `ids`; the newest Timeline item stands for each. */
export async function tagCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, TagCard>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: tags.id,
      value: tags.value,
      count: sql`coalesce(
        (select sum(total) from tag_count where tag_id = tag.id), 0)`.mapWith(Number),
      coverAssetId: newestOf(db, session),
    })
    .from(tags)
    .where(
      and(
        eq(tags.ownerId, asUser(session).userId),
        sql`${tags.id} = any(${`{${ids.join(',')}}`}::uuid[])`,
      ),
    );
  return new Map(
    rows.map(({ id, value, count, coverAssetId }) => [
      id,
      { title: value.slice(value.lastIndexOf('/') + 1), count, coverAssetId },
    ]),
  );
}

const newestOf = (db: Db, session: Session) => sql<string | null>`(
  with recursive below (id) as (
    select tag.id
    union all select child.id from tag child join below on child.parent_id = below.id
  )
  select asset.id from ${ownAssets(db, session, 'timeline')}
  where exists (select 1 from tag_asset
    where tag_asset.asset_id = asset.id and tag_asset.tag_id in (select id from below))
  order by asset.local_taken_at desc, asset.id desc limit 1)`;
