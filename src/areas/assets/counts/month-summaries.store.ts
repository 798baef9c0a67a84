import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { anyOfIds, formatTexts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';

const MONTH_VERSION_COLUMNS = {
  ownerId: column.uuid,
  /** The first day of it. */
  month: column.text,
  version: column.text,
};

export type MonthVersion = InferRow<typeof MONTH_VERSION_COLUMNS>;

/** Returns a version of each month in which the owners have, or had, anything. */
export const listVersions = (db: Db, owners: readonly string[]) =>
  queryPrepared(
    db,
    MONTH_VERSION_COLUMNS,
    sql`select owner_id as "ownerId", local_month::text as month, bit_xor(stamp)::text as version
      from asset_count where owner_id = ${anyOfIds(owners)} group by owner_id, local_month`,
  );

type Stored = { readonly kind: string; readonly format: number };
type StoredMonth = Omit<MonthVersion, 'ownerId'> & { readonly content: string };

/** Returns what is stored of the owners in this format, valid or not. */
export const listStored = (db: Db, { kind, format }: Stored, owners: readonly string[]) =>
  queryPrepared(
    db,
    { month: column.text, version: column.text, content: column.text, ownerId: column.uuid },
    sql`select owner_id as "ownerId", month::text, version::text, content from month_summary
      where owner_id = ${anyOfIds(owners)} and kind = ${kind} and format = ${format}::int`,
  );

/** Returns the months of all owners that are not stored in this format at their present version, by owner. */
export const listStale = (db: Db, { kind, format }: Stored) =>
  queryPrepared(
    db,
    MONTH_VERSION_COLUMNS,
    sql`select owner_id as "ownerId", month::text, version::text from (
        select owner_id, local_month as month, bit_xor(stamp) as version from asset_count
        group by owner_id, local_month) current
      where not exists (select from month_summary stored
        where stored.owner_id = current.owner_id and stored.month = current.month
          and stored.version = current.version and kind = ${kind} and format = ${format}::int)
      order by owner_id, month`,
  );

/**
 * Stores months of an owner in place of those before. On the driver, because the `db` of a request may
 * refuse to write. Stores nothing for an account that is gone. Locks the account before the rows, as its
 * removal does.
 */
export async function storeMonths(
  pool: Sql,
  { kind, format, ownerId }: Stored & { readonly ownerId: string },
  months: readonly StoredMonth[],
): Promise<void> {
  await pool`
    insert into month_summary (owner_id, kind, month, format, version, content)
    select app_user.id, ${kind}, stored.month, ${format}::int, stored.version, stored.content
    from app_user cross join unnest(${formatTexts(months.map(({ month }) => month))}::date[],
      ${formatTexts(months.map(({ version }) => version))}::bigint[],
      ${formatTexts(months.map(({ content }) => content))}::text[]) stored (month, version, content)
    where app_user.id = ${ownerId}::uuid for key share of app_user
    on conflict (owner_id, kind, month) do update
      set format = excluded.format, version = excluded.version, content = excluded.content`;
}
