import { and, desc, eq, inArray, lt, lte, sql } from 'drizzle-orm';
import { reach } from '../core/fault-points.ts';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';
import { type OperationRow, operations, type OperationState } from '../db/tables/operations.ts';
import { hasJob } from '../jobs/queue.ts';
import type { AnyKind, Operation, OperationKind } from './define.ts';

/** States with work to do. */
export const ACTIVE = [
  'queued',
  'running',
  'cancelling',
  'undoing',
] as const satisfies OperationState[];
/** States that nothing follows, but for an undo. */
const ENDED = [
  'completed',
  'failed',
  'cancelled',
  'undone',
  'expired',
] as const satisfies OperationState[];

/** Returns an operation with the data of its kind. */
export function parse<P, G>(kind: OperationKind<P, G>, row: OperationRow): Operation<P, G> {
  const { payload, progress, ...rest } = row;
  return {
    ...rest,
    payload: kind.parsePayload(payload),
    progress: kind.parseProgress(progress),
  };
}

/** Returns the condition that an operation is of one of the kinds. */
export const hasKind = (kinds: readonly AnyKind[]) =>
  inArray(
    operations.kind,
    kinds.map(({ name }) => name),
  );

export function getKind<P, G>(
  kinds: readonly OperationKind<P, G>[],
  name: string,
): OperationKind<P, G> {
  const kind = kinds.find((kind) => kind.name === name);
  if (!kind) throw new Error(`No kind of operation is named ${name}`);
  return kind;
}

export type NewOperation<P> = Pick<OperationRow, 'accountId' | 'createdAt'> & {
  /** Random by default. */
  readonly id?: string;
  readonly payload: P;
  readonly total?: number;
  readonly state?: 'prepared' | 'queued';
  readonly requestId?: string | undefined;
  readonly expiresAt?: Date;
};

/** Returns the new operation, without an id of a request. */
export async function insertOperation<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  operation: Omit<NewOperation<P>, 'requestId'>,
): Promise<Operation<P, G>> {
  const inserted = await insertOnce(db, kind, operation);
  if (!inserted) throw new Error('insert returned no row');
  return inserted;
}

/**
 * Returns the new operation, or undefined when the account has used this request id before. Waits for a
 * concurrent request with the same id.
 */
export async function insertOnce<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  operation: NewOperation<P>,
): Promise<Operation<P, G> | undefined> {
  const [row] = await db
    .insert(operations)
    .values({ state: 'queued', ...operation, kind: kind.name, progress: kind.start })
    .onConflictDoNothing({
      target: [operations.accountId, operations.kind, operations.requestId],
    })
    .returning();
  return row && parse(kind, row);
}

/** Returns an operation of the account, undefined for unknown and foreign ones. */
export async function findOperation<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  by: { readonly accountId: string } & ({ readonly id: string } | { readonly requestId: string }),
): Promise<Operation<P, G> | undefined> {
  const [row] = await db
    .select()
    .from(operations)
    .where(
      and(
        'id' in by ? eq(operations.id, by.id) : eq(operations.requestId, by.requestId),
        eq(operations.accountId, by.accountId),
        eq(operations.kind, kind.name),
      ),
    );
  return row && parse(kind, row);
}

/** Returns the operations of an account, newest first. */
export async function listOperations<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  accountId: string,
  limit: number,
): Promise<Operation<P, G>[]> {
  const rows = await db
    .select()
    .from(operations)
    .where(and(eq(operations.accountId, accountId), eq(operations.kind, kind.name)))
    .orderBy(desc(operations.createdAt), desc(operations.id))
    .limit(limit);
  return rows.map((row) => parse(kind, row));
}

/** Locks an operation until commit. */
export async function lockOperation<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  id: string,
): Promise<Operation<P, G> | undefined> {
  const [row] = await db
    .select()
    .from(operations)
    .where(and(eq(operations.id, id), eq(operations.kind, kind.name)))
    .for('update');
  return row && parse(kind, row);
}

export type OperationChange<G> = Partial<
  Pick<OperationRow, 'state' | 'total' | 'error' | 'startedAt' | 'finishedAt' | 'expiresAt'>
> & { readonly progress?: G };

/** Changes a locked operation; a new state increments its revision. */
export async function updateOperation<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  operation: Operation<P, G>,
  change: OperationChange<G>,
): Promise<Operation<P, G>> {
  const isMoved = change.state !== undefined && change.state !== operation.state;
  const revision = operation.revision + (isMoved ? 1 : 0);
  const [row] = await db
    .update(operations)
    .set({ ...change, revision })
    .where(eq(operations.id, operation.id))
    .returning();
  if (!row) throw new Error('The operation is gone, although it was locked');
  reach('operation.changed');
  return parse(kind, row);
}

/** Changes an operation in one of the states; a new state increments its revision. Returns undefined for any other. */
export async function changeOperation<P, G>(
  db: Db,
  kinds: readonly OperationKind<P, G>[],
  id: string,
  from: readonly OperationState[],
  change: OperationChange<G>,
): Promise<Operation<P, G> | undefined> {
  const isMoved = change.state ? sql`(${operations.state} <> ${change.state})::int` : sql`0`;
  const [row] = await db
    .update(operations)
    .set({ ...change, revision: sql`${operations.revision} + ${isMoved}` })
    .where(and(eq(operations.id, id), hasKind(kinds), inArray(operations.state, [...from])))
    .returning();
  if (!row) return undefined;
  reach('operation.changed');
  return parse(getKind(kinds, row.kind), row);
}

export async function deleteOperation(db: Db, id: string): Promise<void> {
  await db.delete(operations).where(eq(operations.id, id));
  reach('operation.changed');
}

/** Deletes operations of a kind that ended before. */
export async function deleteFinished(db: Db, { name }: AnyKind, before: Date): Promise<void> {
  await db
    .delete(operations)
    .where(
      and(
        eq(operations.kind, name),
        inArray(operations.state, [...ENDED]),
        lt(operations.finishedAt, before),
      ),
    );
}

/**
 * Expires prepared operations that were not confirmed in time, and completed ones whose file was kept long enough, of
 * one account or of all. Returns their ids.
 */
export async function expireOperations(
  db: Db,
  kinds: readonly AnyKind[],
  now: Date,
  accountId?: string,
): Promise<string[]> {
  const rows = await db
    .update(operations)
    .set({
      state: 'expired',
      revision: sql`${operations.revision} + 1`,
      expiresAt: sql`case ${operations.state} when 'completed' then ${operations.expiresAt} end`,
    })
    .where(
      and(
        hasKind(kinds),
        inArray(operations.state, ['prepared', 'completed']),
        lte(operations.expiresAt, now),
        accountId === undefined ? undefined : eq(operations.accountId, accountId),
      ),
    )
    .returning({ id: operations.id });
  return rows.map(({ id }) => id);
}

/** Returns the operations of a kind under way whose job was deleted or failed. */
export async function listAbandoned(db: Db, { name, job }: AnyKind): Promise<string[]> {
  const rows = await db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.kind, name),
        inArray(operations.state, [...ACTIVE]),
        sql`not ${hasJob(job.name, sql`operation.id::text`)}`,
      ),
    );
  return rows.map(({ id }) => id);
}

/** The newest operations of a kind that are kept for each account, once they have ended. */
export const KEPT = 100;

/** Deletes ended operations that are not among the newest of their kind and account, unless they have a file. */
export async function deleteOld(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from operation where id in (
      select id from (
        select id, state, row_number() over (
          partition by account_id, kind order by created_at desc, id desc) as place
        from operation where not exists (
          select from operation_file
          where operation_file.id = operation.id and state = 'completed' and destination = 'download')
      ) ranked
      where place > ${KEPT} and state in (${sql.join(
        ENDED.map((state) => sql`${state}`),
        sql`, `,
      )}))`,
  );
}
