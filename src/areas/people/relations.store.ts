import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';
import type { Relation } from './relations.ts';

const RELATION_COLUMN = { relation: column.text.as<Relation>() };

export async function findRelation(db: Db, personId: string): Promise<Relation | null> {
  const [row] = await queryRows(
    db,
    RELATION_COLUMN,
    sql`select relation from person_relation where person_id = ${personId}`,
  );
  return row?.relation ?? null;
}

/** Returns the relations of the people of an account, by person. */
export async function listOwnRelations(db: Db, ownerId: string): Promise<Map<string, Relation>> {
  const rows = await queryPrepared(
    db,
    { id: column.uuid, ...RELATION_COLUMN },
    sql`select person_id as id, relation from person_relation
      join person on person.id = person_id where person.owner_id = ${ownerId}`,
  );
  return new Map(rows.map(({ id, relation }) => [id, relation]));
}

/** Null deletes it. */
export async function saveRelation(
  db: Db,
  personId: string,
  relation: Relation | null,
): Promise<void> {
  if (relation === null) {
    await queryRows(db, sql`delete from person_relation where person_id = ${personId}`);
    return;
  }
  await queryRows(
    db,
    sql`insert into person_relation (person_id, relation) values (${personId}, ${relation})
      on conflict (person_id) do update set relation = excluded.relation`,
  );
}
