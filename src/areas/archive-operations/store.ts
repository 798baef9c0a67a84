import { and, desc, eq, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { type ArchiveOperationRow, archiveOperations } from '../../db/tables/archive.ts';
import { uuids } from '../../db/arrays.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { hasJob } from '../../jobs/queue.ts';

export const MAX_LISTED = 100;

/** Expires prepared operations that were not confirmed in time. */
export async function expirePrepared(db: Db, now: Date, userId?: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update archive_operation
    set status = 'expired', revision = revision + 1, expires_at = null
    where status = 'prepared' and expires_at <= ${now.toISOString()}
      and ${userId ? sql`user_id = ${userId}` : sql`true`}`,
  );
}

export async function listLatest(db: Db, userId: string): Promise<ArchiveOperationRow[]> {
  return db
    .select()
    .from(archiveOperations)
    .where(eq(archiveOperations.userId, userId))
    .orderBy(desc(archiveOperations.createdAt), desc(archiveOperations.id))
    .limit(MAX_LISTED);
}

/** Returns the caller's own operation, undefined for unknown and foreign ones. */
export async function findOwn(
  db: Db,
  userId: string,
  id: string,
): Promise<ArchiveOperationRow | undefined> {
  const [row] = await db
    .select()
    .from(archiveOperations)
    .where(and(eq(archiveOperations.id, id), eq(archiveOperations.userId, userId)));
  return row;
}

export async function findByRequest(
  db: Db,
  userId: string,
  requestId: string,
): Promise<ArchiveOperationRow | undefined> {
  const [row] = await db
    .select()
    .from(archiveOperations)
    .where(and(eq(archiveOperations.requestId, requestId), eq(archiveOperations.userId, userId)));
  return row;
}

/** Locks the operation until commit. */
export async function lockOperation(db: Db, id: string): Promise<ArchiveOperationRow | undefined> {
  const [row] = await db
    .select()
    .from(archiveOperations)
    .where(eq(archiveOperations.id, id))
    .for('update');
  return row;
}

/**
 * Returns the new id, or undefined when the caller has used this request id before. Waits for a
 * concurrent request with the same id.
 */
export async function insertOperation(
  db: Db,
  operation: typeof archiveOperations.$inferInsert,
): Promise<string | undefined> {
  const [row] = await db
    .insert(archiveOperations)
    .values(operation)
    .onConflictDoNothing({ target: [archiveOperations.userId, archiveOperations.requestId] })
    .returning({ id: archiveOperations.id });
  return row?.id;
}

export type OperationChange = Partial<Omit<ArchiveOperationRow, 'id' | 'userId'>>;

/** Updates the operation; a new status increments its revision. */
export async function updateOperation(
  db: Db,
  row: ArchiveOperationRow,
  change: OperationChange,
): Promise<ArchiveOperationRow> {
  const isMoved = change.status !== undefined && change.status !== row.status;
  const updated = getRow(
    await db
      .update(archiveOperations)
      .set({ ...change, ...(isMoved && { revision: row.revision + 1 }) })
      .where(eq(archiveOperations.id, row.id))
      .returning(),
  );
  return updated;
}

type FreezeOptions = { readonly operationId: string; readonly size: number };

/** Saves the caller's whole timeline in batches, newest first. Returns the number of items. */
export async function freezeTimeline(
  { db, session }: { readonly db: Db; readonly session: Session },
  { operationId, size }: FreezeOptions,
): Promise<number> {
  const row = getRow(
    await queryRows<{ count: string }>(
      db,
      sql`
    with item as materialized (
      select asset.id,
        (row_number() over (order by asset.local_taken_at desc, asset.id desc) - 1)
          / ${size}::int as position
      from ${ownAssets(db, session, 'timeline')}
    ), kept as (
      insert into archive_operation_batch (operation_id, position, asset_ids)
      select ${operationId}::uuid, position, array_agg(id order by id) from item group by position
    )
    select count(*) as count from item`,
    ),
  );
  return Number(row.count);
}

export async function freezeSelection(
  db: Db,
  ids: readonly string[],
  { operationId, size }: FreezeOptions,
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into archive_operation_batch (operation_id, position, asset_ids)
    select ${operationId}::uuid, (place - 1) / ${size}::int, array_agg(id order by id)
    from unnest(${uuids(ids)}) with ordinality chosen (id, place)
    group by 2`,
  );
}

export type Batch = { readonly position: number; readonly ids: string[] };

export async function findNextBatch(db: Db, operationId: string): Promise<Batch | undefined> {
  const [row] = await queryRows<Batch>(
    db,
    sql`
    select position, asset_ids as ids from archive_operation_batch
    where operation_id = ${operationId} and archived_ids is null order by position limit 1`,
  );
  return row;
}

export async function saveArchivedBatch(
  db: Db,
  operationId: string,
  position: number,
  archived: { readonly ids: readonly string[]; readonly revisions: readonly number[] },
): Promise<void> {
  await queryRows(
    db,
    sql`
    update archive_operation_batch
    set archived_ids = ${uuids(archived.ids)},
      revisions = ${`{${archived.revisions.join(',')}}`}::int[]
    where operation_id = ${operationId} and position = ${position}`,
  );
}

export type ArchivedBatch = Batch & { readonly revisions: number[] };

export async function findNextArchivedBatch(
  db: Db,
  operationId: string,
): Promise<ArchivedBatch | undefined> {
  const [row] = await queryRows<ArchivedBatch>(
    db,
    sql`
    select position, archived_ids as ids, revisions from archive_operation_batch
    where operation_id = ${operationId} and archived_ids is not null and not is_undone
    order by position limit 1`,
  );
  return row;
}

export async function markUndone(db: Db, operationId: string, position: number): Promise<void> {
  await queryRows(
    db,
    sql`
    update archive_operation_batch set is_undone = true
    where operation_id = ${operationId} and position = ${position}`,
  );
}

/** Lists running operations whose job was deleted or failed. */
export async function listAbandoned(db: Db): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    sql`
    select id from archive_operation
    where status in ('queued', 'running', 'stopping', 'undoing')
      and not ${hasJob('archiveOperations.run', sql`archive_operation.id::text`)}`,
  );
  return rows.map((row) => row.id);
}

/** Deletes finished operations that are not among the latest of their owner. */
export async function deleteUnlisted(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from archive_operation where id in (
      select id from (
        select id, status, row_number() over (
          partition by user_id order by created_at desc, id desc) as place
        from archive_operation) ranked
      where place > ${MAX_LISTED} and status in ('expired', 'completed', 'failed', 'undone'))`,
  );
}
