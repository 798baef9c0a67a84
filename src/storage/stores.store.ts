import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';

export type Library = {
  readonly id: string;
  /** Its folders have been marked. */
  readonly isMarked: boolean;
};

const COLUMNS = sql.raw(`id, stores_marked_at is not null as "isMarked"`);

export const readLibrary = async (db: Db): Promise<Library> =>
  (await queryRows<Library>(db, sql`select ${COLUMNS} from instance`))[0]!;

/** Holds the row until commit. */
export const lockLibrary = async (db: Db): Promise<Library> =>
  (await queryRows<Library>(db, sql`select ${COLUMNS} from instance for update`))[0]!;

export const setMarked = (db: Db): Promise<unknown> =>
  queryRows(db, sql`update instance set stores_marked_at = coalesce(stores_marked_at, now())`);

/** Returns digests of some originals of our store. */
export async function sampleOriginals(db: Db, limit: number): Promise<Uint8Array[]> {
  const rows = await queryRows<{ sha256: Uint8Array }>(
    db,
    sql`select sha256 from original where path is null order by sha256 limit ${limit}`,
  );
  return rows.map(({ sha256 }) => sha256);
}
