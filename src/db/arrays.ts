import { type SQL, sql } from 'drizzle-orm';

/** One parameter, however many ids: a list of parameters would be planned anew for every length. */
export const uuids = (ids: readonly string[]): SQL => sql`${`{${ids.join(',')}}`}::uuid[]`;

export const texts = (values: readonly string[]): SQL => sql`${formatTexts(values)}::text[]`;

/** Returns the values as PostgreSQL writes an array of texts. */
export const formatTexts = (values: readonly string[]): string =>
  `{${values.map(quote).join(',')}}`;

/** Values that are no integers are left out: no integer column has them. */
export const integers = (values: readonly number[]): SQL =>
  sql`${`{${values.filter(Number.isSafeInteger).join(',')}}`}::bigint[]`;

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
