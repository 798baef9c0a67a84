import { asc, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { pinLists, type PinRow, pins } from '../../db/tables/preferences.ts';

export type PinList = { readonly revision: number; readonly pins: readonly PinRow[] };

/** Reads list and pins in one statement, so that they belong to one revision. */
export async function readList(db: Db, userId: string): Promise<PinList> {
  const rows = await db
    .select({ revision: pinLists.revision, pin: pins })
    .from(pinLists)
    .leftJoin(pins, eq(pins.userId, pinLists.userId))
    .where(eq(pinLists.userId, userId))
    .orderBy(asc(pins.position));
  return {
    revision: rows[0]?.revision ?? 0,
    pins: rows.flatMap(({ pin }) => pin ?? []),
  };
}

/** Locks the list until commit, so that concurrent updates are serialized. */
export async function lockList(db: Db, userId: string): Promise<void> {
  await db.insert(pinLists).values({ userId }).onConflictDoNothing();
  await db.select().from(pinLists).where(eq(pinLists.userId, userId)).for('update');
}

export async function replaceList(db: Db, userId: string, list: PinList): Promise<void> {
  await db.delete(pins).where(eq(pins.userId, userId));
  if (list.pins.length > 0) await db.insert(pins).values([...list.pins]);
  await db.update(pinLists).set({ revision: list.revision }).where(eq(pinLists.userId, userId));
}
