import { gte, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { librarySizes } from '../../../db/tables/assets.ts';

/** The bytes of the library on a day (UTC, as '2026-11-21'). */
export type LibrarySize = { readonly day: string; readonly bytes: number };

export const toDay = (time: Date): string => time.toISOString().slice(0, 10);

/** Returns the bytes of all originals and derived files. Reads both tables: 1 s for a million items. */
export async function sumFiles(db: Db): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { bytes: column.numeric },
      sql`
    select coalesce((select sum(size) from original), 0)
      + coalesce((select sum(size) from asset_file), 0) as bytes`,
    ),
  );
  return Number(row.bytes);
}

export async function saveSize(db: Db, now: Date, bytes: number): Promise<void> {
  await db
    .insert(librarySizes)
    .values({ day: toDay(now), bytes })
    .onConflictDoUpdate({ target: librarySizes.day, set: { bytes } });
}

/** Returns the recorded sizes since a day, oldest first. */
export const listSizes = (db: Db, since: Date): Promise<LibrarySize[]> =>
  db
    .select()
    .from(librarySizes)
    .where(gte(librarySizes.day, toDay(since)))
    .orderBy(librarySizes.day);

/** Returns the day of the installation (UTC). */
export async function readFirstDay(db: Db): Promise<string> {
  const statement = sql`select (created_at at time zone 'UTC')::date::text as day from instance`;
  return getRow(await queryRows(db, { day: column.text }, statement)).day;
}
