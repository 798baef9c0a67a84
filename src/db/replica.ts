import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Database, type Db, openDatabase } from './client.ts';
import { column, type InferRow } from './columns.ts';
import { EPOCH, RECORDED_EPOCH } from './epoch.ts';
import { perDatabase } from './per-database.ts';
import { getRow, prepareQuery } from './query.ts';
import { isInTransaction } from './transaction.ts';

// Expensive reads go to a standby that has replayed all that the primary had committed when the read began, after its
// request was authenticated there. So it shows what the primary would show: no lock, revocation or removal that was
// answered before is missing, whoever made it at whichever server. Where that is not so, the primary is read.

const MAX = 10;
const DEADLINES = { statement: 15, answer: 3 };
/** A standby that has failed is left alone for so long, then one read tries it. */
const AWAY_MS = 10_000;
/** The same for one that lags. */
const LAG_MS = 1000;
/** A standby usually replays a commit within milliseconds. */
const TRIES = 4;
const PAUSE_MS = 10;

type Replica = { readonly pool: Database; readonly log: Log; reads: number; awayUntil: number };

const getHolder = perDatabase((): { replica?: Replica } => ({}));

/** Lets `readFromReplica` read from a standby of the database of this pool, until it is closed. */
export function openReplica(primary: Sql, url: string, log: Log): { close(): Promise<void> } {
  const pool = openDatabase(url, {
    max: MAX,
    name: 'replica',
    deadlines: DEADLINES,
    isReplica: true,
  });
  getHolder(primary).replica = { pool, log, reads: 0, awayUntil: -Infinity };
  return {
    close() {
      delete getHolder(primary).replica;
      return pool.close();
    },
  };
}

type Reader = { readonly db: Db; readonly sql: Sql };

/**
 * Returns the result of reads that change nothing, of a standby or of the primary. They may run a second time, there,
 * when the standby fails.
 */
export async function readFromReplica<R extends Reader, T>(
  reader: R,
  read: (reader: R) => Promise<T>,
): Promise<T> {
  const { replica } = getHolder(reader.sql);
  if (!replica || replica.reads >= MAX || performance.now() < replica.awayUntil)
    return read(reader);
  if (isInTransaction(reader.db)) return read(reader);
  const position = getRow(await readPosition(reader.db));
  // Others do not wait for it meanwhile.
  const wasAway = replica.awayUntil > 0;
  if (wasAway) replica.awayUntil = performance.now() + AWAY_MS;
  replica.reads += 1;
  try {
    const result = await replica.pool.db.transaction(
      async (tx) => {
        await requireReplayed(tx, position);
        return read({ ...reader, db: tx });
      },
      { accessMode: 'read only' },
    );
    replica.awayUntil = -Infinity;
    return result;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isLate = error instanceof Late;
    replica.awayUntil = performance.now() + (isLate ? LAG_MS : AWAY_MS);
    if (!isLate && !wasAway)
      replica.log.warn('the replica cannot be read, reading the primary', { error });
    return read(reader);
  } finally {
    replica.reads -= 1;
  }
}

/** The standby has not replayed what the primary had committed. */
class Late extends Error {}

const POSITION_COLUMNS = { epoch: column.text, lsn: column.text };
type Position = InferRow<typeof POSITION_COLUMNS>;

/** Whatever can be seen on the primary is before its insert position, also what was committed asynchronously. */
const readPosition = prepareQuery(
  POSITION_COLUMNS,
  sql`select ${EPOCH} as epoch, pg_current_wal_insert_lsn()::text as lsn`,
);

/** A standby that did not follow the present primary has not got the epoch that is recorded there. */
const isReplayed = prepareQuery(
  { isReplayed: column.boolean },
  sql`select coalesce(pg_last_wal_replay_lsn() >= ${sql.placeholder('lsn')}::text::pg_lsn
    and (select ${RECORDED_EPOCH} from change_log) = ${sql.placeholder('epoch')}, false) as "isReplayed"`,
);

async function requireReplayed(replica: Db, position: Position): Promise<void> {
  for (let tries = 1; !getRow(await isReplayed(replica, position)).isReplayed; tries++) {
    if (tries === TRIES) throw new Late();
    await Bun.sleep(PAUSE_MS);
  }
}
