import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { queryRows } from '../../db/query.ts';
import { users } from '../../db/tables/identity.ts';
import { systemConfigs } from '../../db/tables/system-config.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the stored members of sections; sections that were never changed are left out. */
export async function readSections(
  db: Db,
  sections: readonly string[],
): Promise<ReadonlyMap<string, Members>> {
  const rows = await db
    .select()
    .from(systemConfigs)
    .where(inArray(systemConfigs.section, [...sections]));
  return new Map(rows.map(({ section, value }) => [section, value]));
}

/** Changes wait until the transaction ends; readers do not. */
export async function lockConfig(db: Db): Promise<void> {
  await queryRows(db, sql`lock table system_config in share row exclusive mode`);
}

export async function saveSection(
  db: Db,
  section: string,
  value: Members,
  now: Date,
): Promise<void> {
  await db
    .insert(systemConfigs)
    .values({ section, value, updatedAt: now })
    .onConflictDoUpdate({ target: systemConfigs.section, set: { value, updatedAt: now } });
}

export async function deleteSection(db: Db, section: string): Promise<void> {
  await db.delete(systemConfigs).where(eq(systemConfigs.section, section));
}

export async function hasAccount(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return rows.length > 0;
}
