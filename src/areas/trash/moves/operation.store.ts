import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type TrashOperationRow, trashOperations } from '../../../db/tables/trash.ts';
import type { Move } from './item-set.store.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { hasJob } from '../../../jobs/queue.ts';

export async function insertOperation(
  db: Db,
  operation: { readonly userId: string; readonly action: Move; readonly createdAt: Date },
): Promise<string> {
  const row = getRow(
    await db.insert(trashOperations).values(operation).returning({ id: trashOperations.id }),
  );
  return row.id;
}

/** Locks the operation until commit. */
export async function lockOperation(db: Db, id: string): Promise<TrashOperationRow | undefined> {
  const [row] = await db
    .select()
    .from(trashOperations)
    .where(sql`${trashOperations.id} = ${id}`)
    .for('update');
  return row;
}

const BATCH_COLUMNS = { ids: column.uuidArray, revisions: column.integerArray };

export type Batch = InferRow<typeof BATCH_COLUMNS>;

/** Deletes and returns the next batch, so that it is moved once. */
export async function deleteNextBatch(db: Db, operationId: string): Promise<Batch | undefined> {
  const [row] = await queryRows(
    db,
    BATCH_COLUMNS,
    sql`
    delete from trash_operation_batch
    where operation_id = ${operationId} and position = (
      select min(position) from trash_operation_batch where operation_id = ${operationId})
    returning asset_ids as ids, revisions`,
  );
  return row;
}

export async function deleteOperation(db: Db, id: string): Promise<void> {
  await db.delete(trashOperations).where(sql`${trashOperations.id} = ${id}`);
}

/** Lists operations whose job was deleted or failed. */
export async function listAbandonedOperations(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from trash_operation
    where not ${hasJob('trash.moveItems', sql`trash_operation.id::text`)}`,
  );
  return rows.map((row) => row.id);
}
