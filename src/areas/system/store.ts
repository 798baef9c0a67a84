import type { Db } from '../../db/client.ts';
import { instances } from '../../db/tables/identity.ts';

type Instance = Pick<typeof instances.$inferSelect, 'id' | 'adminId' | 'onboarded' | 'createdAt'>;

export async function findInstance(db: Db): Promise<Instance> {
  const { id, adminId, onboarded, createdAt } = instances;
  const [row] = await db.select({ id, adminId, onboarded, createdAt }).from(instances);
  if (!row) throw new Error('the row of the installation is gone');
  return row;
}

export async function setOnboarded(db: Db, onboarded: boolean): Promise<void> {
  await db.update(instances).set({ onboarded });
}
