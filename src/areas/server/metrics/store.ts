import { sql } from 'drizzle-orm';
import { type Db, POOL_PREFIX } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { prepareQuery } from '../../../db/query.ts';

const POOL_COLUMNS = {
  pool: column.text,
  /** Connections that run a statement or are within a transaction; without the one that asks. */
  busy: column.integer,
  idle: column.integer,
};
export type PoolRow = InferRow<typeof POOL_COLUMNS>;

const selectPools = prepareQuery(
  POOL_COLUMNS,
  sql`
  select substr(application_name, ${POOL_PREFIX.length + 1}) as pool,
    count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::int as busy,
    count(*) filter (where state = 'idle')::int as idle
  from pg_stat_activity
  where datname = current_database() and starts_with(application_name, ${POOL_PREFIX})
  group by 1 order by 1`,
);

/** Returns the connections to this database by pool, of all processes. */
export const listPools = (db: Db): Promise<PoolRow[]> => selectPools(db);
