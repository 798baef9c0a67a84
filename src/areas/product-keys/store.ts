import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { instances, type ProductKey, users } from '../../db/tables/identity.ts';

export async function findServerLicense(db: Db): Promise<ProductKey | null> {
  const [row] = await db.select({ license: instances.license }).from(instances);
  return row?.license ?? null;
}

export async function saveServerLicense(db: Db, license: ProductKey | null): Promise<void> {
  await db.update(instances).set({ license });
}

export async function findUserLicense(db: Db, userId: string): Promise<ProductKey | null> {
  const [row] = await db.select({ license: users.license }).from(users).where(eq(users.id, userId));
  return row?.license ?? null;
}

export async function saveUserLicense(
  db: Db,
  userId: string,
  license: ProductKey | null,
): Promise<void> {
  await db.update(users).set({ license }).where(eq(users.id, userId));
}
