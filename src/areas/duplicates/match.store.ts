import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export async function addChange(db: Db, assetId: string, modelId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into duplicate_change (asset_id, model_id) values (${assetId}, ${modelId})`,
  );
}

const CHANGES_COLUMNS = {
  modelId: column.text,
  /** Ids of the change marks (bigint as text). */
  marks: column.textArray,
  assetIds: column.uuidArray,
};

export type Changes = InferRow<typeof CHANGES_COLUMNS>;

/** Returns the oldest marks of one model; undefined when everything has been compared. */
export async function findChanges(db: Db, limit: number): Promise<Changes | undefined> {
  const [row] = await queryRows(
    db,
    CHANGES_COLUMNS,
    sql`
    select model_id as "modelId", array_agg(id::text) as marks,
      array_agg(distinct asset_id) as "assetIds"
    from (select * from duplicate_change order by id limit ${limit}) change
    group by model_id order by min(id) limit 1`,
  );
  return row;
}

/** Deletes exactly these marks: one with a lower number may be committed later. */
export async function removeChanges(db: Db, marks: Changes['marks']): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from duplicate_change where id = any(${`{${marks.join(',')}}`}::bigint[])`,
  );
}
