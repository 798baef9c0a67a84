import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

/** Clients kept per account: the most recent. */
const MAX_CLIENTS = 64;
const MAX_AGE_DAYS = 180;
/** Failures a day after which a client is no longer known: about as many as unknown clients have. */
const MAX_FAILURES = 1000;
/** Lower, because a PIN has only a million values. */
const MAX_PIN_FAILURES = 100;

/** Stands for an account that does not exist, so that the lookup takes equally long. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Returns the first client that has given the correct secret of the account before. */
export async function findKnownClient(
  db: Db,
  userId: string | undefined,
  clients: readonly string[],
  at: Date,
): Promise<string | undefined> {
  if (clients.length === 0) return undefined;
  const now = sql`${at.toISOString()}::timestamptz`;
  const rows = await queryRows(
    db,
    { client: column.text },
    sql`
    select client from known_client
    where user_id = ${userId ?? NOBODY} and client = any(${texts(clients)})
      and seen_at > ${now} - make_interval(days => ${MAX_AGE_DAYS})
      and (failed_at is null or failed_at < ${now} - interval '1 day' or failures <
        case when client like 'pin:%' then ${MAX_PIN_FAILURES}::int else ${MAX_FAILURES}::int end)`,
  );
  const found = new Set(rows.map(({ client }) => client));
  return clients.find((client) => found.has(client));
}

/** Stores clients that gave the correct secret, and deletes the oldest beyond the limit. */
export async function rememberClients(
  db: Db,
  userId: string,
  clients: readonly string[],
  at: Date,
): Promise<void> {
  if (clients.length === 0) return;
  const now = sql`${at.toISOString()}::timestamptz`;
  const [added] = await queryRows(
    db,
    { isNew: column.boolean },
    sql`
    with saved as (
      insert into known_client (user_id, client, seen_at)
      select ${userId}::uuid, client, ${now} from unnest(${texts(clients)}) client
      on conflict (user_id, client) do update set seen_at = ${now}, failures = 0, failed_at = null
      returning xmax = 0 as is_new)
    select coalesce(bool_or(is_new), false) as "isNew" from saved`,
  );
  if (!added?.isNew) return;
  await queryRows(
    db,
    sql`
    delete from known_client where user_id = ${userId} and (
      seen_at < ${now} - make_interval(days => ${MAX_AGE_DAYS})
      or client not in (select client from known_client where user_id = ${userId}
        order by seen_at desc, client limit ${MAX_CLIENTS}))`,
  );
}

export async function recordKnownFailure(
  db: Db,
  userId: string,
  client: string,
  at: Date,
): Promise<void> {
  const now = sql`${at.toISOString()}::timestamptz`;
  await queryRows(
    db,
    sql`
    update known_client set failed_at = ${now},
      failures = case when failed_at < ${now} - interval '1 day' then 1 else failures + 1 end
    where user_id = ${userId} and client = ${client}`,
  );
}
