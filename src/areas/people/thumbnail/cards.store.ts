import { sql } from 'drizzle-orm';
import { requireUser, ownAssets } from '../../../access/scope.ts';
import type { Session, UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { selectVisiblePeople } from '../store.ts';

export type PersonCard = {
  readonly title: string;
  /** Timeline items that show the person. */
  readonly count: number;
  /** Shows the chosen face if it is on the Timeline, else any face of the person. */
  readonly coverAssetId: string | null;
};

/** Returns the cards of those of `ids` that are visible people of the caller. */
export async function getPersonCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, PersonCard>> {
  if (ids.length === 0) return new Map();
  const user = requireUser(session);
  const suppressed = await countSuppressed(db, user, ids);
  const shown = sql`face join ${ownAssets(db, user, 'timeline')} on asset.id = face.asset_id`;
  const rows = await db.execute<{ id: string } & PersonCard>(sql`
    with counted as (
      select part_1 as person_id, sum(assets)::int as items from asset_fact_count
      where owner_id = ${user.userId} and kind = 'person'
        and part_1 = any(${`{${ids.join(',')}}`}::text[]) group by part_1
    )
    select person.id, person.name as title, coalesce(counted.items, 0) as count, coalesce(
      (select asset.id from ${shown}
        where face.id = person.cover_face_id and face.person_id = person.id and not face.is_hidden),
      (select asset.id from ${shown}
        where face.person_id = person.id and not face.is_hidden order by asset.id limit 1)
    ) as "coverAssetId"
    from ${selectVisiblePeople({ db, session: user })} person
    left join counted on counted.person_id = person.id::text
    where person.id = any(${uuids(ids)})`);
  return new Map(
    rows.map(({ id, count, ...card }) => [
      id,
      { ...card, count: count - (suppressed.get(id) ?? 0) },
    ]),
  );
}

/** Returns the number of Timeline items that content rules exclude, by person. */
async function countSuppressed(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (session.contentRules.length === 0) return new Map();
  const rows = await db.execute<{ id: string; items: number }>(sql`
    select face.person_id as id, count(distinct asset.id)::int as items
    from ${ownAssets(db, session, 'timeline', { suppressed: 'only' })}
    join face on face.asset_id = asset.id
    where face.person_id = any(${uuids(ids)}) and not face.is_hidden group by face.person_id`);
  return new Map(rows.map(({ id, items }) => [id, items]));
}
