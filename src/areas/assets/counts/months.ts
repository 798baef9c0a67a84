import { type SQL, sql } from 'drizzle-orm';

/** A condition on `local_month`; without months: any. */
export const isInMonths = (months: readonly string[] | undefined, table = 'asset'): SQL =>
  months === undefined
    ? sql`true`
    : sql`${sql.identifier(table)}.local_month = any(${`{${months.join(',')}}`}::date[])`;
