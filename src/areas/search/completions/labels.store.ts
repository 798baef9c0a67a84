import { sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import {
  type Matching,
  type Reader,
  selectMatching,
  unionPerOwner,
} from '../match/matching.store.ts';

/** Returns for each list of labels whether any matching item has one of them. */
export async function findShown(
  reader: Reader,
  matching: Matching,
  lists: readonly (readonly string[])[],
): Promise<readonly boolean[]> {
  const found = lists.map((labels) => {
    const labelled = { ...matching, labels: [labels] };
    const items = unionPerOwner(
      labelled,
      (owner) => sql`select 1 ${selectMatching(reader, labelled, owner)} limit 1`,
    );
    return sql`exists (${items})`;
  });
  const [row] = await queryRows(
    reader.db,
    { shown: column.json<readonly boolean[]>() },
    sql`select jsonb_build_array(${sql.join(found, sql`, `)}) as shown`,
  );
  return row?.shown ?? [];
}
