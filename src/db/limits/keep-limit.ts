import { type SQL, sql } from 'drizzle-orm';
import { AppError } from '../../core/errors.ts';
import { uuids } from '../arrays.ts';
import type { Db } from '../client.ts';
import { column } from '../columns.ts';
import { queryRows } from '../query.ts';
import { inTransaction } from '../transaction.ts';
import { getLimit, type Limit, type LimitName } from './limits.ts';

type Scope = {
  /** Account whose creations wait for each other. */
  readonly ownerId: string;
  /** Items to which something is added, where the limit is one of items. */
  readonly itemIds?: readonly string[];
  /** Rows that `work` adds at most, where the limit is sampled; 1 by default. */
  readonly rows?: number;
};

/**
 * Does work that adds to what an account has, and undoes it if that exceeds the limit: throws 409, or 429 for
 * what is free again by itself. Of two that run at once the second counts what the first has added. Who has
 * more already, as from an older version, can have no more, and may change what there is.
 */
export async function keepLimit<C extends { readonly db: Db }, T>(
  ctx: C,
  name: LimitName,
  { ownerId, itemIds = [], rows = 1 }: Scope,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const limit = getLimit(name);
  if (limit.isSampled && Math.random() * getStep(limit) > rows) return inTransaction(ctx, work);
  return inTransaction(ctx, async (ctx) => {
    // In a statement of its own: the next one sees what was committed meanwhile.
    await queryRows(
      ctx.db,
      sql`select pg_advisory_xact_lock(hashtext(${`limit ${name}`}), hashtext(${ownerId}))`,
    );
    const ids = limit.per === 'item' ? itemIds : [ownerId];
    const before = await measureExcess(ctx.db, limit, ids);
    const result = await work(ctx);
    for (const [id, after] of await measureExcess(ctx.db, limit, ids)) {
      const known = before.get(id) ?? { count: 0, bytes: 0 };
      for (const bound of ['count', 'bytes'] as const) {
        if (after[bound] > Math.max(limit[bound], known[bound])) throw limitReached(limit, bound);
      }
    }
    return result;
  });
}

/** The same for several limits. */
export const keepLimits = <C extends { readonly db: Db }, T>(
  ctx: C,
  [name, ...others]: readonly LimitName[],
  scope: Scope,
  work: (ctx: C) => Promise<T>,
): Promise<T> =>
  name === undefined
    ? work(ctx)
    : keepLimit(ctx, name, scope, (ctx) => keepLimits(ctx, others, scope, work));

/** Returns the rows in which a sampled limit is checked once, on average. */
const getStep = ({ count }: Limit): number => Math.floor(count / 1000);

type Amount = { readonly count: number; readonly bytes: number };

/** Returns what those of these accounts or items have that exceed the limit. */
async function measureExcess(
  db: Db,
  limit: Limit,
  ids: readonly string[],
): Promise<Map<string, Amount>> {
  const { count, bytes, from, scope, where = 'true' } = limit;
  const rows = await queryRows(
    db,
    { count: column.float, bytes: column.float, id: column.uuid },
    sql`
    select id, count(*)::float8 as count, sum(bytes)::float8 as bytes from (
      select ${sql.raw(scope)} as id, ${toSize(limit)} as bytes from ${sql.raw(from)}
      where ${sql.raw(scope)} = any(${uuids(ids)}) and (${sql.raw(where)})
    ) row group by id
    having count(*) > ${count}::bigint or sum(bytes) > ${bytes}::bigint`,
  );
  return new Map(rows.map(({ id, ...amount }) => [id, amount]));
}

/** Returns the bytes of long values as they are stored: compressed, and without reading them. */
const toSize = ({ sizes, size = sizes.map(toStoredSize).join(' + ') }: Limit): SQL =>
  sql.raw(`(${size})::numeric`);

const toStoredSize = (column: string) => `coalesce(pg_column_size(${column}), 0)`;

const MIB = 1024 ** 2;
const RETRY_SECONDS = 60;

function limitReached(limit: Limit, bound: keyof Amount): AppError {
  const { things, per, isTransient } = limit;
  const whose = per === 'account' ? 'An account' : 'An item';
  const most = (limit[bound] / (bound === 'bytes' ? MIB : 1)).toLocaleString('en');
  const message =
    bound === 'count'
      ? `${whose} can have at most ${most} ${things}`
      : `The ${things} of ${whose.toLowerCase()} can take at most ${most} MiB`;
  if (!isTransient) return new AppError('conflict', message, { code: 'limit_reached' });
  return new AppError('tooManyRequests', message, {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}
