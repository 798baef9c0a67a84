import { sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { queryPrepared } from '../../../db/query.ts';

export type MonthVersion = {
  readonly ownerId: string;
  /** The first day of it. */
  readonly month: string;
  readonly version: string;
};

/** Returns a version of each month in which the owners have, or had, anything. */
export const listVersions = (db: Db, owners: readonly string[]) =>
  queryPrepared<MonthVersion>(
    db,
    sql`select owner_id as "ownerId", local_month::text as month, bit_xor(stamp)::text as version
      from asset_count where owner_id = any(${uuids(owners)}) group by owner_id, local_month`,
  );
