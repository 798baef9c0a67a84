import type { Db } from '../../db/client.ts';
import { instances } from '../../db/tables/identity.ts';

export type Instance = typeof instances.$inferSelect;

export async function findInstance(db: Db): Promise<Instance> {
  const [row] = await db.select().from(instances);
  if (!row) throw new Error('the row of the installation is gone');
  return row;
}

export async function setOnboarded(db: Db, onboarded: boolean): Promise<void> {
  await db.update(instances).set({ onboarded });
}
