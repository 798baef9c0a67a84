import { type SQL, sql } from 'drizzle-orm';

/** One parameter, however many ids: a list of parameters would be planned anew for every length. */
export const uuids = (ids: readonly string[]): SQL => sql`${`{${ids.join(',')}}`}::uuid[]`;
