import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

/** Below this, reading the delta rows of a person costs less than folding them. */
const MANY = 16;
const PEOPLE_PER_RUN = 10_000;

/** People with many delta rows, or with any that outlived them. */
export async function findUnfolded(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select person_id as id from person_count group by person_id
    having count(*) > ${MANY}
      or not exists (select from person where person.id = person_count.person_id)
    order by count(*) desc limit ${PEOPLE_PER_RUN}`);
  return [...rows].map((row) => row.id);
}

/**
 * Replaces the delta rows of these people by their sums. Rows added meanwhile are not seen and stay.
 * False: another machine is folding.
 */
export async function foldCounts(db: Db, personIds: readonly string[]): Promise<boolean> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('person_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await db.execute(sql`
    with gone as (
      delete from person_count where person_id = any(${uuids(personIds)})
      returning *
    )
    insert into person_count (owner_id, person_id, faces)
    select owner_id, person_id, sum(faces) from gone
    where exists (select from person where person.id = person_id)
    group by owner_id, person_id having sum(faces) <> 0`);
  return true;
}
