import { setImmediate } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { PendingQuery, Row, Sql } from 'postgres';
import type { Database } from './client.ts';

type Values = never[];
type Options = { readonly prepare?: boolean };

/**
 * The same pool for a read that nobody waits for once `signal` is aborted: a statement that runs then
 * is cancelled, and no other begins. A cancellation names a connection, not a statement. So each
 * statement has a connection to itself until its cancellation has arrived: none of somebody else can
 * be hit. What writes is refused. Transactions, and statements that are written as a template of
 * `sql`, are those of the pool.
 */
export function readUntil(pool: Sql, signal: AbortSignal): Pick<Database, 'db' | 'sql'> {
  const unsafe = (text: string, parameters?: Values, options?: Options) => {
    const run = (isRaw: boolean) =>
      pool.begin('read only', (tx) => {
        const query = tx.unsafe<Row[]>(text, parameters, options);
        return answerOf(isRaw ? (query.values() as unknown as Pending) : query, signal);
      });
    return {
      // As the driver's: it runs when it is waited for.
      // oxlint-disable-next-line no-thenable
      then: (...handlers: Parameters<Promise<unknown>['then']>) => run(false).then(...handlers),
      values: () => run(true),
    };
  };
  const sql = new Proxy(pool, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
  return { db: drizzle(sql), sql };
}

type Pending = PendingQuery<Row[]>;

async function answerOf(query: Pending, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  let cancelled: Promise<void> | undefined;
  const stop = () => {
    cancelled = cancelOf(query as Pending & Running);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await query;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    // The connection is its own until here.
    await cancelled;
  }
}

/** What the driver keeps of a statement: its own cancel() does not tell when it has arrived. */
type Running = {
  readonly active: boolean;
  readonly canceller: (query: unknown) => Promise<void>;
};

async function cancelOf(query: Pending & Running): Promise<void> {
  // By then the driver has handed it to the connection.
  await setImmediate();
  // Where that fails, the statement runs to its end as it would have without us.
  if (query.active) await query.canceller(query).catch(() => {});
}
