import { type SQL, sql } from 'drizzle-orm';
import { column, type InferRow } from './columns.ts';

/** The change log of some accounts at a moment, by ids of transactions. */
export type LogState = {
  /** Every transaction before it has ended. */
  readonly position: bigint;
  /** The log may have forgotten changes before it. */
  readonly droppedBefore: bigint;
  /** The newest change; 0: there is none. */
  readonly changedAt: bigint;
};

/** The schema of selectLogState. */
export const LOG_STATE_COLUMNS = {
  position: column.text,
  droppedBefore: column.text,
  changedAt: column.text.orNull,
};

/** The position in the change log to ask `isUnchangedSince` about later. */
export const LOG_POSITION: SQL = sql`pg_snapshot_xmin(pg_current_snapshot())`;

/**
 * Columns by LOG_STATE_COLUMNS, for the accounts of an expression of type uuid[]. The planner does not look at their
 * number: see `anyOfIds`.
 */
export const selectLogState = (accounts: SQL): SQL => sql`
  ${LOG_POSITION}::text as position,
  (select dropped_before::text from change_log) as "droppedBefore",
  (select newest.xid::text from unnest(array(select unnest(${accounts}))) account (id) cross join lateral (
      select xid from change where scope_id = account.id order by xid desc limit 1) newest
    order by newest.xid desc limit 1) as "changedAt"`;

export const parseLogState = ({
  position,
  droppedBefore,
  changedAt,
}: InferRow<typeof LOG_STATE_COLUMNS>): LogState => ({
  position: BigInt(position),
  droppedBefore: BigInt(droppedBefore),
  changedAt: BigInt(changedAt ?? 0),
});

/**
 * Whether the log, as its state was read, tells of all changes since that position, and of none. A transaction that the
 * position does not cover has a later id, whenever it commits. The log must still hold them, and be of the same
 * database: after a restore, ids start again.
 */
export const isUnchangedSince = (
  { position, droppedBefore, changedAt }: LogState,
  since: bigint,
): boolean => since >= droppedBefore && since <= position && changedAt < since;
