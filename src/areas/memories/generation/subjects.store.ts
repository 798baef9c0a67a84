import { type SQL, sql } from 'drizzle-orm';
import { isKnownPerson, isKnownPet } from '../../../access/locked-labels.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { Reader } from '../store.ts';

const LEAST_FACES = 5;

const PERSON_SUBJECT_COLUMNS = { id: column.uuid, birthDate: column.text.orNull };

/** `birthDate`: as '1990-05-17'. */
export type PersonSubject = InferRow<typeof PERSON_SUBJECT_COLUMNS>;

/** Returns the named people of the account who are not hidden and are on a few pictures. */
export const listPeople = ({ db, session }: Reader): Promise<PersonSubject[]> =>
  queryRows(
    db,
    PERSON_SUBJECT_COLUMNS,
    sql`
    select person.id, person.birth_date::text as "birthDate" from person
    where person.owner_id = ${session.userId}::uuid and person.merged_into is null
      and person.name <> '' and not person.is_hidden and ${isKnownPerson(session)}
      and (select sum(faces) from person_count where person_count.owner_id = person.owner_id
        and person_count.person_id = person.id) >= ${LEAST_FACES}`,
  );

/** In a new library nobody has a name yet: whoever is on so many pictures counts. */
const LEAST_FREQUENT = 10;

/** Returns who is seen most, of those who are not hidden; people with a name first. */
export const listFrequentPeople = (
  { db, session }: Reader,
  limit: number,
): Promise<{ id: string }[]> =>
  queryRows(
    db,
    { id: column.uuid },
    sql`
    select person.id from person cross join lateral (
      select coalesce(sum(faces), 0) as faces from person_count
      where person_count.owner_id = person.owner_id and person_count.person_id = person.id) seen
    where person.owner_id = ${session.userId}::uuid and person.merged_into is null
      and not person.is_hidden and ${isKnownPerson(session)} and seen.faces >= ${LEAST_FREQUENT}
    order by person.name <> '' desc, seen.faces desc, person.id limit ${limit}`,
  );

/** Returns the pets that the owner has named or confirmed. */
export const listPets = ({ db, session }: Reader): Promise<{ id: string }[]> =>
  queryRows(
    db,
    { id: column.uuid },
    sql`
    select pet.id from pet where pet.owner_id = ${session.userId}::uuid
      and (pet.name <> '' or pet.is_confirmed) and ${isKnownPet(session)}`,
  );

/** Returns the people and pets of the memories that were made since. */
export async function listRecentSubjects(
  { db, session }: Reader,
  since: Date,
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select distinct coalesce(person_id, pet_id) as id from memory
    where owner_id = ${session.userId}::uuid and key is not null
      and created_at >= ${since.toISOString()}::timestamptz
      and num_nonnulls(person_id, pet_id) = 1`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Assets of one subject of which the candidates are taken, another sample on each day. */
const SAMPLE = 600;

/**
 * Condition: among the assets that `from` selects by the asset's id, beginning somewhere in their order,
 * which is random: reads as many, of however many there are. An array is read once for each subject; a
 * subquery would be for each asset of the account.
 */
function isInSample(from: SQL, day: string): SQL {
  const start = sql`md5(given.subject || ${day})::uuid`;
  return sql`asset.id = any(array(
    select asset_id from (
      (select asset_id ${from} and asset_id >= ${start} order by asset_id limit ${SAMPLE})
      union all
      (select asset_id ${from} and asset_id < ${start} order by asset_id limit ${SAMPLE})) sample
    limit ${SAMPLE}))`;
}

/** Condition: shows the person whose id is the subject. */
export const showsPerson = (day: string): SQL =>
  isInSample(sql`from face where person_id = given.subject::uuid and not is_hidden`, day);

const LEAST_SCORE = 0.5;

/** Condition: shows the pet whose id is the subject. */
export const showsPet = (day: string): SQL =>
  isInSample(
    sql`from pet_observation where pet_id = given.subject::uuid
      and (verdict = 'confirmed' or score >= ${LEAST_SCORE})`,
    day,
  );
