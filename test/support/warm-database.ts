import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { SESSION_QUERY, setSession } from '../../src/db/epoch.ts';

// A database that one file of tests after the other uses, emptied in between: its connections stay warm. A new one costs
// 50 ms of PostgreSQL, and each new connection up to 70 until it has read the catalogue and compiled the triggers.

/** Emptied tables keep the pages of what was in them: then another database is cheaper. */
const MOST_USES = 50;
const MOST_GROWN_BYTES = 24 * 1024 * 1024;

type Warm = {
  readonly name: string;
  readonly connections: number;
  readonly pool: Database;
  /** Rows of the migrations by table, as JSON. */
  readonly first: ReadonlyMap<string, string>;
  readonly catalogue: string;
  readonly bytes: number;
  uses: number;
};

type Makers = {
  readonly create: () => Promise<string>;
  readonly drop: (name: string) => Promise<void>;
  readonly toUrl: (name: string) => string;
};

let spare: Warm | undefined;

/** Returns a database as the migrations leave it; `release` lets the next file of tests have it. */
export async function openWarmDatabase(
  makers: Makers,
  connections: number,
): Promise<Omit<Database, 'close'> & { name: string; release: () => Promise<void> }> {
  const warm = (await takeSpare()) ?? (await openNew(makers, connections));
  warm.uses += 1;
  let isSpoilt = false;
  // Whatever goes on after the end of a file finds no database, as where each has its own.
  const { proxy, revoke } = Proxy.revocable(warm.pool.sql, {
    get(target, name, receiver) {
      // LISTEN lasts as long as the pool.
      if (name === 'listen' || name === 'subscribe' || name === 'end') isSpoilt = true;
      return Reflect.get(target, name, receiver);
    },
  });
  const [session] = await warm.pool.sql.unsafe(SESSION_QUERY);
  setSession(proxy, session!);
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    revoke();
    // A file may have opened two.
    if (!spare && !isSpoilt && (await isReusable(warm))) spare = warm;
    else await discard(warm, makers);
  };
  return { name: warm.name, sql: proxy, db: drizzle(proxy), release };
}

async function takeSpare(): Promise<Warm | undefined> {
  const warm = spare;
  spare = undefined;
  if (warm) await empty(warm);
  return warm;
}

async function openNew(makers: Makers, connections: number): Promise<Warm> {
  const name = await makers.create();
  const pool = openDatabase(makers.toUrl(name), { max: connections });
  const first = new Map<string, string>();
  for (const table of await listFilled(pool.sql)) {
    const [row] =
      await pool.sql`select jsonb_agg(to_jsonb(t))::text as rows from ${pool.sql(table)} t`;
    if (row!['rows']) first.set(table, row!['rows']);
  }
  const { catalogue, bytes } = await describe(pool.sql);
  return { name, connections, pool, first, catalogue, bytes, uses: 0 };
}

async function discard({ name, pool }: Warm, { drop }: Makers): Promise<void> {
  await pool.close();
  await drop(name);
}

/** Empties all tables, without triggers and references, and begins sequences anew. */
async function empty({ pool: { sql }, first }: Warm): Promise<void> {
  const tables = await listFilled(sql);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(tables.map((table) => `delete from "${table}"`).join(';'));
    for (const [table, rows] of first) {
      await tx`
        insert into ${tx(table)} overriding system value
        select * from jsonb_populate_recordset(null::${tx(table)}, ${rows}::text::jsonb)`;
    }
    await tx`
      select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where last_value is not null`;
  });
}

const listFilled = async (sql: postgres.Sql): Promise<string[]> => {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
    order by relname`;
  return rows.map(({ name }) => name);
};

/** Returns whether a file of tests has left nothing but rows: no change of the schema, no lock, no transaction. */
async function isReusable({
  pool: { sql },
  connections,
  catalogue,
  bytes,
  uses,
}: Warm): Promise<boolean> {
  if (uses >= MOST_USES) return false;
  try {
    const now = await describe(sql);
    const [left] = await sql`
      select
        exists (
          select from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
            and backend_type = 'client backend'
        ) or ${connections} < (
          select count(*) from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend'
        ) or exists (
          select from pg_locks join pg_database on pg_database.oid = database
          where datname = current_database() and locktype = 'advisory'
        ) as any`;
    return now.catalogue === catalogue && now.bytes - bytes < MOST_GROWN_BYTES && !left!['any'];
  } catch {
    return false;
  }
}

/** The size of the database, and which transactions have changed its schema. */
async function describe(sql: postgres.Sql): Promise<{ catalogue: string; bytes: number }> {
  const [row] = await sql`
    select pg_database_size(current_database())::float8 as bytes, concat_ws(' ',
      (select sum(xmin::text::bigint) from pg_class where relnamespace = 'public'::regnamespace),
      (select sum(xmin::text::bigint) from pg_attribute), (select sum(xmin::text::bigint) from pg_proc),
      (select sum(xmin::text::bigint) from pg_trigger), (select sum(xmin::text::bigint) from pg_constraint),
      (select count(*) from pg_namespace), (select count(*) from pg_extension), (
        select count(*) from pg_db_role_setting
        join pg_database on pg_database.oid = setdatabase where datname = current_database()
      )) as catalogue`;
  return row as { catalogue: string; bytes: number };
}
