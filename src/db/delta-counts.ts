import { sql } from 'drizzle-orm';
import { uuids } from './arrays.ts';
import type { Db } from './client.ts';
import { column } from './columns.ts';
import { queryRows } from './query.ts';

/** Below this, reading the delta rows of a subject costs less than folding them. */
const MANY = 16;
const SUBJECTS_PER_RUN = 10_000;

/**
 * Returns the folding of the table `SUBJECT_count`, whose rows are changes of the counts of a tag or a
 * person: see src/areas/assets/counts/README.md.
 */
export function createFolding(subject: 'tag' | 'person', counts: readonly string[]) {
  const table = sql.raw(`${subject}_count`);
  const id = sql.raw(`${subject}_id`);
  const columns = sql.raw(counts.join(', '));
  const sums = sql.raw(counts.map((count) => `sum(${count})`).join(', '));
  const isAny = sql.raw(counts.map((count) => `sum(${count}) <> 0`).join(' or '));
  const isThere = sql.raw(`exists (select from ${subject} where ${subject}.id = ${subject}_id)`);
  /** Subjects with many delta rows, or with any that outlived them. */
  const unfolded = sql`select ${id} as id from ${table} group by ${id}
    having count(*) > ${MANY} or not ${isThere}`;
  return {
    hasUnfolded: sql`exists (${unfolded})`,

    findUnfolded: async (db: Db): Promise<string[]> => {
      const rows = await queryRows(
        db,
        { id: column.uuid },
        sql`${unfolded} order by count(*) desc limit ${SUBJECTS_PER_RUN}`,
      );
      return rows.map((row) => row.id);
    },

    /**
     * Replaces the delta rows of these subjects by their sums. Rows added meanwhile are not seen and
     * stay. Returns false while another machine is folding.
     */
    fold: async (db: Db, ids: readonly string[]): Promise<boolean> => {
      const [lock] = await queryRows(
        db,
        { taken: column.boolean },
        sql`select pg_try_advisory_xact_lock(hashtext(${`${subject}_count`})) as taken`,
      );
      if (!lock?.taken) return false;
      await queryRows(
        db,
        sql`
        with gone as (delete from ${table} where ${id} = any(${uuids(ids)}) returning *)
        insert into ${table} (owner_id, ${id}, ${columns})
        select owner_id, ${id}, ${sums} from gone where ${isThere}
        group by owner_id, ${id} having ${isAny}`,
      );
      return true;
    },
  };
}
