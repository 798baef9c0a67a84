import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { tags } from '../../db/tables/organisation.ts';

export const listTagNames = (db: Db, ownerId: string): Promise<{ id: string; value: string }[]> =>
  db.select({ id: tags.id, value: tags.value }).from(tags).where(eq(tags.ownerId, ownerId));
