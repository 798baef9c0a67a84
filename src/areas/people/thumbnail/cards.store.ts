import { sql } from 'drizzle-orm';
import { requireUser, ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { selectVisiblePeople } from '../store.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const CARD_COLUMNS = {
  title: column.text,
  /** Timeline items that show the person. */
  count: column.integer,
  /** Shows the chosen face if it is on the Timeline, else any face of the person. */
  coverAssetId: column.uuid.orNull,
};
export type PersonCard = InferRow<typeof CARD_COLUMNS>;

/** Returns the cards of those of `ids` that are visible people of the caller. */
export async function getPersonCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, PersonCard>> {
  if (ids.length === 0) return new Map();
  const user = requireUser(session);
  const shown = sql`face join ${ownAssets(db, user, 'timeline')} on asset.id = face.asset_id`;
  const rows = await queryRows(
    db,
    { id: column.uuid, ...CARD_COLUMNS },
    sql`
    select person.id, person.name as title, (
        select count(distinct asset.id)::int from ${shown}
        where face.person_id = person.id and not face.is_hidden) as count, coalesce(
      (select asset.id from ${shown}
        where face.id = person.cover_face_id and face.person_id = person.id and not face.is_hidden),
      (select asset.id from ${shown}
        where face.person_id = person.id and not face.is_hidden order by asset.id limit 1)
    ) as "coverAssetId"
    from ${selectVisiblePeople({ db, session: user })} person
    where person.id = any(${uuids(ids)})`,
  );
  return new Map(rows.map(({ id, ...card }) => [id, card]));
}
