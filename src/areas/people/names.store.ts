import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import { texts, uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { isNotSuppressed, type Reader } from './store.ts';

/** The account's people that have one of these names, the oldest of each name first. */
export const listPeopleNamed = (db: Db, ownerId: string, names: readonly string[]) =>
  queryRows(
    db,
    { id: column.uuid, name: column.text, hasBirthDate: column.boolean },
    sql`
    select id, name, birth_date is not null as "hasBirthDate" from person
    where owner_id = ${ownerId}::uuid and name = any(${texts(names)}) and merged_into is null
    order by created_at, id`,
  );

/** Returns those of these people that have no name. */
export async function filterUnnamed(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select id from person where id = any(${uuids(ids)}) and name = ''`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Locks the names of the account's people until the transaction ends. */
export const lockNames = (db: Db, ownerId: string): Promise<unknown> =>
  queryRows(db, sql`select pg_advisory_xact_lock(hashtext('person'), hashtext(${ownerId}))`);

const NAMED = { assetId: column.uuid, names: column.textArray };

/** Lists those of these assets of the account that show people whom it has named, with the names from left to right. */
export const listNames = ({ db, session }: Reader, assetIds: readonly string[]) =>
  queryRows(
    db,
    NAMED,
    sql`
    select shown.asset_id as "assetId", array_agg(person.name order by shown.place, person.id) as names
    from (
      select face.asset_id, face.person_id, min(face.x1) as place
      from ${ownAssets(db, session, 'any', { suppressed: 'out' })} join face on face.asset_id = asset.id
      where asset.id = any(${uuids(assetIds)}) and not face.is_hidden and face.person_id is not null
      group by face.asset_id, face.person_id
    ) shown join person on person.id = shown.person_id
    where person.owner_id = ${session.userId} and person.merged_into is null and person.name <> ''
      and not person.is_hidden and ${isNotSuppressed(session)}
    group by shown.asset_id`,
  );
