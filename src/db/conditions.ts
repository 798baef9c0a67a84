import { type SQL, sql } from 'drizzle-orm';

/** Returns the conjunction of conditions, of which undefined ones are left out. */
export const joinWithAnd = (first: SQL, ...others: readonly (SQL | undefined)[]): SQL =>
  join([first, ...others], sql` and `);

/** Returns the disjunction of conditions, of which undefined ones are left out. */
export const joinWithOr = (first: SQL, ...others: readonly (SQL | undefined)[]): SQL =>
  join([first, ...others], sql` or `);

const join = (conditions: readonly (SQL | undefined)[], operator: SQL): SQL =>
  sql`(${sql.join(
    conditions.filter((condition) => condition !== undefined),
    operator,
  )})`;
