import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/** One parameter, however many ids: a list of parameters would be planned anew for every length. */
export const uuids = (ids: readonly string[]): SQL => sql`${`{${ids.join(',')}}`}::uuid[]`;

/**
 * Returns `any(…)` of ids, or of a parameter that holds them as PostgreSQL writes an array, for a prepared statement.
 * The planner does not look at the ids: a plan for one of them would always look cheaper than the general one for ten,
 * and each execution would be planned anew.
 */
export const anyOfIds = (ids: Placeholder | readonly string[]): SQL =>
  sql`any(array(select unnest(${isList(ids) ? `{${ids.join()}}` : ids}::uuid[])))`;

const isList = (ids: Placeholder | readonly string[]): ids is readonly string[] =>
  Array.isArray(ids);

export const texts = (values: readonly string[]): SQL => sql`${formatTexts(values)}::text[]`;

/** Returns the values as PostgreSQL writes an array of texts. */
export const formatTexts = (values: readonly string[]): string =>
  `{${values.map(quote).join(',')}}`;

/** Values that are no integers are left out: no integer column has them. */
export const integers = (values: readonly number[]): SQL =>
  sql`${`{${values.filter(Number.isSafeInteger).join(',')}}`}::bigint[]`;

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
