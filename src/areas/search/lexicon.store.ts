import { and, eq, ne } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { tags } from '../../db/tables/organisation.ts';
import { pets } from '../../db/tables/people.ts';

export const listTagNames = (db: Db, ownerId: string): Promise<{ id: string; value: string }[]> =>
  db.select({ id: tags.id, value: tags.value }).from(tags).where(eq(tags.ownerId, ownerId));

export const listPetNames = (db: Db, ownerId: string): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: pets.id, name: pets.name })
    .from(pets)
    .where(and(eq(pets.ownerId, ownerId), ne(pets.name, '')))
    .orderBy(pets.id);
