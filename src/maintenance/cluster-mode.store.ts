import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getSqlState } from '../db/errors.ts';
import { queryRows } from '../db/query.ts';
import { DEAD_SECONDS, IS_ALIVE } from '../nodes/store.ts';
import { ABANDONED_MS, type MaintenanceState } from './state.ts';

const MODE_COLUMNS = {
  revision: column.uuid,
  action: column.text.as<MaintenanceState['action']>(),
  secret: column.text,
  nodeId: column.uuid,
  host: column.text,
  isRunning: column.boolean,
  error: column.text.orNull,
  startedAt: column.timestamptz,
  /** Whether the node sends heartbeats. */
  isHeld: column.boolean,
  /** Whether no administrator was there for a day. */
  isAbandoned: column.boolean,
};
export type ClusterMode = InferRow<typeof MODE_COLUMNS>;
export type ModeValues = Pick<
  ClusterMode,
  'action' | 'secret' | 'nodeId' | 'host' | 'isRunning' | 'error'
>;

const ABANDONED = sql`${ABANDONED_MS}::int * interval '1 millisecond'`;

/**
 * Returns the mode of all servers; undefined while it is off, and for a schema that does not know it. What was seen in the
 * future was seen by a clock that has been set back since.
 */
export async function findMode(db: Db): Promise<ClusterMode | undefined> {
  try {
    const [mode] = await queryRows(
      db,
      MODE_COLUMNS,
      sql`
      select mode.revision, action, secret, node_id as "nodeId", mode.host, is_running as "isRunning", error,
        mode.started_at as "startedAt",
        exists (select from node where id = node_id and ${IS_ALIVE}
          and coalesce(seen_at <= now() + ${DEAD_SECONDS}::int * interval '1 second', true)) as "isHeld",
        mode.seen_at not between now() - ${ABANDONED} and now() + ${ABANDONED} as "isAbandoned"
      from maintenance_mode mode`,
    );
    return mode;
  } catch (error) {
    if (getSqlState(error) === UNDEFINED_TABLE) return undefined;
    throw error;
  }
}

const UNDEFINED_TABLE = '42P01';
const REVISION = { revision: column.uuid };

/** Returns the revision; undefined when the mode is on already, and null for a schema that does not know it. */
export async function insertMode(db: Db, values: ModeValues): Promise<string | undefined | null> {
  const { action, secret, nodeId, host, isRunning, error: reason } = values;
  try {
    const [row] = await queryRows(
      db,
      REVISION,
      sql`
      insert into maintenance_mode (action, secret, node_id, host, is_running, error)
      values (${action}, ${secret}, ${nodeId}::uuid, ${host}, ${isRunning}::boolean, ${reason})
      on conflict do nothing returning revision`,
    );
    return row?.revision;
  } catch (error) {
    if (getSqlState(error) === UNDEFINED_TABLE) return null;
    throw error;
  }
}

/** Returns the new revision; undefined when the mode has another one than `revision`, or is off. */
export async function updateMode(
  db: Db,
  revision: string,
  { action, nodeId, host, isRunning, error }: Omit<ModeValues, 'secret'>,
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    REVISION,
    sql`
    update maintenance_mode set revision = gen_random_uuid(), action = ${action}, node_id = ${nodeId}::uuid,
      host = ${host}, is_running = ${isRunning}::boolean, error = ${error}, started_at = now(), seen_at = now()
    where revision = ${revision}::uuid returning revision`,
  );
  return row?.revision;
}

/** Switches it off; false when it has another revision, or is off. */
export async function deleteMode(db: Db, revision: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`delete from maintenance_mode where revision = ${revision}::uuid returning revision`,
  );
  return rows.length > 0;
}

/** Remembers that an administrator is there. */
export const saveSeen = (db: Db): Promise<unknown> =>
  queryRows(db, sql`update maintenance_mode set seen_at = now()`);

/** Switches it off in a database that is about to replace another one: it says nothing about the servers of now. */
export async function clearMode(sql: Sql): Promise<void> {
  const [table] = await sql`select to_regclass('maintenance_mode') is not null as "isThere"`;
  if (table?.['isThere']) await sql`delete from maintenance_mode`;
}
