import { sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { Db } from '../../../db/client.ts';
import { type Matching, selectMatching, unionPerOwner, type Reader } from './matching.store.ts';
import { uuids } from '../../../db/arrays.ts';

export type NamedPerson = { readonly id: string; readonly name: string };
export type PersonCount = NamedPerson & { readonly count: number };

export type KnownPerson = NamedPerson & { readonly isHidden: boolean };

export async function listPeople(db: Db, ownerId: string): Promise<KnownPerson[]> {
  return queryRows(
    db,
    { id: column.uuid, name: column.text, isHidden: column.boolean },
    sql`
    select id, name, is_hidden as "isHidden" from person
    where owner_id = ${ownerId} and merged_into is null`,
  );
}

/** Returns the number of matching items that show hidden people and nobody else. */
export async function countAssetsOfHiddenPeople(
  reader: Reader,
  matching: Matching,
  viewerId: string,
): Promise<number> {
  const ofPerson = sql`select face.asset_id from face join person on person.id = face.person_id
    where person.owner_id = ${viewerId}::uuid and not face.is_hidden`;
  const only = sql`asset.id in (${ofPerson} and person.is_hidden)
    and asset.id not in (${ofPerson} and not person.is_hidden)`;
  const items = unionPerOwner(
    matching,
    (owner) => sql`select count(*) as count ${selectMatching(reader, matching, owner, { only })}`,
  );
  const [row] = await queryRows(
    reader.db,
    { count: column.numeric },
    sql`select sum(count) as count from (${items}) item`,
  );
  return Number(row?.count ?? 0);
}

/** Returns those of `ids` that are confirmed pets of the account. */
export async function filterConfirmedPets(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from pet where owner_id = ${ownerId} and is_confirmed
      and id = any(${uuids(ids)})`,
  );
  return new Set([...rows].map((row) => row.id));
}
