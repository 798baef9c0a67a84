import { type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'postgres';
import type { Db } from './client.ts';
import { perDatabase } from './per-database.ts';
import { column } from './columns.ts';
import { prepareQuery } from './query.ts';

/** Bytes of all responses of one kind that are remembered for a database. */
const MAX_BYTES = 8 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** The log told everything before this transaction when the response was built. */
type Entry = { readonly bytes: Bytes; readonly position: string; readonly state: string | null };

/** In the `state` of a memory: the accounts, as `uuid[]`. */
export const OWNERS: SQL = sql`${sql.placeholder('owners')}::uuid[]`;

type Reader = { readonly db: Db; readonly sql: Sql };

export type Remembered = {
  /** Everything the response depends on that is in no row. */
  readonly key: readonly unknown[];
  /** Accounts whose rows it depends on. */
  readonly owners: readonly string[];
};

/**
 * Returns a function that returns the response of `build`, its bytes again as long as the change log of the
 * owners tells of no change, and `state` (a scalar subquery, for what the log does not tell) is the same.
 * Both are read for each request, so that a response is never older than the last commit before it.
 */
export function createMemory(state: SQL) {
  const getEntries = perDatabase(
    () =>
      new LRUCache<string, Entry>({
        maxSize: MAX_BYTES,
        maxEntrySize: MAX_BYTES / 4,
        sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
      }),
  );
  const readLog = prepareLogQuery(state);

  return async <Other = never>(
    { db, sql: pool }: Reader,
    { key, owners }: Remembered,
    build: () => Promise<Bytes | Other>,
  ): Promise<Bytes | Other> => {
    const entries = getEntries(pool);
    const name = JSON.stringify([key, owners]);
    const before = entries.get(name);
    // Read before the rows: a change in between makes the response newer than its position, never older.
    const [log] = await readLog(db, {
      owners: `{${owners.join(',')}}`,
      since: before?.position ?? null,
    });
    if (before && log!.isUnchanged && log!.state === before.state) return before.bytes;
    const built = await build();
    if (built instanceof Uint8Array) {
      entries.set(name, { bytes: built, position: log!.position, state: log!.state });
    }
    return built;
  };
}

/** The position in the change log to ask `IS_LOG_COMPLETE` about later. */
export const LOG_POSITION: SQL = sql`pg_snapshot_xmin(pg_current_snapshot())`;

/**
 * Whether change_log tells of all changes since the position `since`: its rows with an id from there on. A
 * transaction that the position does not cover has such an id, whenever it commits. The log must still
 * hold them, and be of the same database: after a restore, ids start again.
 */
export const IS_LOG_COMPLETE: SQL = sql`coalesce(since between dropped_before and ${LOG_POSITION}, false)`;

const prepareLogQuery = (state: SQL) =>
  prepareQuery(
    { position: column.text, state: column.text.orNull, isUnchanged: column.boolean },
    sql`
    select ${LOG_POSITION}::text as position, ${state}::text as state,
      ${IS_LOG_COMPLETE} and not exists (
          select from change where scope_id = any(${OWNERS}) and xid >= since) as "isUnchanged"
    from change_log cross join (select ${sql.placeholder('since')}::text::xid8 as since) given`,
  );
