import { type SQL, sql } from 'drizzle-orm';
import { integers, uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

// The assets of an operation, fixed when it is made, in batches of one transaction each: a crash neither repeats
// nor skips one.

/** Assets per batch, about 50 ms of work. */
export const BATCH_SIZE = 500;

/**
 * Column `position` of a statement on "asset": its batch. The newest come first, and neighbours in time, which are
 * neighbours in the indexes: a batch changes the counts of a month or two.
 */
export const selectPosition = (size = BATCH_SIZE): SQL => sql`
  (row_number() over (order by asset.local_taken_at desc, asset.id desc) - 1) / ${size}::int as position`;

/** The INSERT of the rows (id, position, state_revision) of a CTE "item". */
export const insertItems = (operationId: string): SQL => sql`
  insert into operation_batch (operation_id, position, asset_ids, revisions)
  select ${operationId}::uuid, position, array_agg(id order by id), 
    array_agg(state_revision order by id) filter (where state_revision is not null)
  from item group by position`;

/** Saves chosen assets in their order, to be moved whatever their state. */
export async function insertChosen(
  db: Db,
  operationId: string,
  ids: readonly string[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into operation_batch (operation_id, position, asset_ids)
    select ${operationId}::uuid, (place - 1) / ${BATCH_SIZE}::int, array_agg(id order by id)
    from unnest(${uuids(ids)}) with ordinality chosen (id, place)
    group by 2`,
  );
}

const BATCH_COLUMNS = {
  position: column.integer,
  ids: column.uuidArray,
  /** The `state_revision` of each at the request; null: they are moved as they are. */
  revisions: column.integerArray.orNull,
};
export type Batch = InferRow<typeof BATCH_COLUMNS>;

/** Returns the first batch that was not processed. */
export async function findNextBatch(db: Db, operationId: string): Promise<Batch | undefined> {
  const [row] = await queryRows(
    db,
    BATCH_COLUMNS,
    sql`
    select position, asset_ids as ids, revisions from operation_batch
    where operation_id = ${operationId} and moved_ids is null order by position limit 1`,
  );
  return row;
}

/** Deletes and returns the first batch, for operations without an undo. */
export async function takeNextBatch(db: Db, operationId: string): Promise<Batch | undefined> {
  const [row] = await queryRows(
    db,
    BATCH_COLUMNS,
    sql`
    delete from operation_batch where operation_id = ${operationId} and position = (
      select min(position) from operation_batch where operation_id = ${operationId})
    returning position, asset_ids as ids, revisions`,
  );
  return row;
}

/** The moved assets of a batch, and their `state_revision` since. */
export type Moved = { readonly ids: readonly string[]; readonly revisions: readonly number[] };

export async function saveMoved(
  db: Db,
  operationId: string,
  position: number,
  { ids, revisions }: Moved,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update operation_batch
    set moved_ids = ${uuids(ids)}, moved_revisions = ${integers(revisions)}
    where operation_id = ${operationId} and position = ${position}`,
  );
}

const MOVED_COLUMNS = {
  position: column.integer,
  ids: column.uuidArray,
  revisions: column.integerArray,
};

/** Returns the first batch that was processed and not undone. */
export async function findNextMoved(
  db: Db,
  operationId: string,
): Promise<InferRow<typeof MOVED_COLUMNS> | undefined> {
  const [row] = await queryRows(
    db,
    MOVED_COLUMNS,
    sql`
    select position, moved_ids as ids, moved_revisions as revisions from operation_batch
    where operation_id = ${operationId} and moved_ids is not null and not is_undone
    order by position limit 1`,
  );
  return row;
}

export async function markUndone(db: Db, operationId: string, position: number): Promise<void> {
  await queryRows(
    db,
    sql`
    update operation_batch set is_undone = true
    where operation_id = ${operationId} and position = ${position}`,
  );
}
