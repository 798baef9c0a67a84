import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { perDatabase } from './per-database.ts';

// The epoch of a database is the history that its transaction ids are of. After a restore, and on a standby that was
// promoted before it had all commits of the primary, ids are used again: what was remembered by them is of another epoch.

/** The cluster, the database, and the timeline of its log, which each promotion of a standby begins anew. */
const TIMELINE_TEXT = `(select system_identifier from pg_control_system()) || '.' ||
  (select oid from pg_database where datname = current_database()) || '.' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`;

/** The timeline of the server that runs the statement, as text. A standby refuses it, as it does writes. */
export const TIMELINE: SQL = sql.raw(TIMELINE_TEXT);

/** Two standbys of one primary may begin timelines of the same number: a nonce, chosen with the record, tells them apart. */
const RECORDED_TEXT = `concat_ws('.', epoch, nonce)`;

/** The epoch that is recorded in change_log, also on a standby. */
export const RECORDED_EPOCH: SQL = sql.raw(RECORDED_TEXT);

/**
 * The epoch of the server that runs the statement, as text; refused by a standby. While another one is recorded, it is
 * unknown, and equal to none.
 */
export const EPOCH_TEXT = `(
  select case epoch when ${TIMELINE_TEXT} then ${RECORDED_TEXT} when '' then ${TIMELINE_TEXT}
    else gen_random_uuid()::text end
  from change_log)`;

export const EPOCH: SQL = sql.raw(EPOCH_TEXT);

/**
 * Asked on each new connection: the life of a server, within which the epoch does not change, and whether the database
 * has a record of epochs.
 */
export const SESSION_QUERY = `
  select ${TIMELINE_TEXT} || ' ' || pg_postmaster_start_time() as server, exists (
    select from pg_attribute where attrelid = to_regclass('change_log') and attname = 'nonce') as "hasRecord"`;

const EPOCH_QUERY = `
  select ${EPOCH_TEXT} as epoch, (select epoch in (${TIMELINE_TEXT}, '') from change_log) as "isRecorded"`;

/** The key of what a process remembers of a database by ids of transactions: another epoch has another object. */
export type Epoch = {
  /** A random one, of this process alone, until the database has told it. */
  readonly id: string;
};

type Holder = {
  epoch: { id: string };
  /** The epoch that the database has told last. */
  known?: { id: string };
  /** The server of the newest connection. */
  server?: string;
  record?: () => Promise<void>;
};

const createEpoch = () => ({ id: crypto.randomUUID() });
const getHolder = perDatabase((): Holder => ({ epoch: createEpoch() }));

/**
 * Returns the epoch of the connections of a pool. Work that remembers what it reads gets it before its first statement:
 * what it has read before a failover is then not taken for what is there after it.
 */
export const getEpoch = (pool: Sql): Epoch => getHolder(pool).epoch;

/** Records what a new connection has answered to SESSION_QUERY. On another server, nothing is remembered at first. */
export function setSession(
  pool: Sql,
  { server, hasRecord }: Readonly<Record<string, unknown>>,
): void {
  if (typeof server !== 'string') return;
  const holder = getHolder(pool);
  if (holder.server !== undefined && holder.server !== server) holder.epoch = createEpoch();
  holder.server = server;
  if (hasRecord === true && holder.epoch !== holder.known) void readEpoch(pool, holder);
}

/** Calls `record` when a connection of the pool leads to a server whose epoch is not recorded. It says why it fails. */
export function watchEpoch(pool: Sql, record: () => Promise<void>): void {
  getHolder(pool).record = record;
}

/** Where it fails, the next connection tries again. */
async function readEpoch(pool: Sql, holder: Holder): Promise<void> {
  const { epoch, record } = holder;
  try {
    const [row] = await pool.unsafe(EPOCH_QUERY);
    // Another connection has found another server, or has read it.
    if (!row || holder.epoch !== epoch || holder.known === epoch) return;
    if (row['isRecorded']) {
      const { known } = holder;
      if (known && known.id === row['epoch']) holder.epoch = known;
      else holder.known = Object.assign(epoch, { id: row['epoch'] as string });
    } else if (record) {
      await record();
      await readEpoch(pool, holder);
    }
  } catch {}
}
