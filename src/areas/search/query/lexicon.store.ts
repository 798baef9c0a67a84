import { and, eq, ne, sql } from 'drizzle-orm';
import { selectOpenAlbumIds } from '../../../access/albums.ts';
import { isKnownPet, type LabelViewer, listLockedTags } from '../../../access/locked-labels.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import { TAG_NAME, tags } from '../../../db/tables/tags.ts';
import { pets } from '../../../db/tables/pets.ts';

export async function listTagNames(
  db: Db,
  owner: LabelViewer,
): Promise<{ id: string; name: string; value: string }[]> {
  const locked = await listLockedTags(db, owner);
  const rows = await db
    .select({ id: tags.id, name: TAG_NAME, value: tags.value })
    .from(tags)
    .where(eq(tags.ownerId, owner.userId))
    .prepare('search.tagNames')
    .execute();
  return rows.filter(({ id }) => !locked.has(id));
}

export const listPetNames = (db: Db, owner: LabelViewer): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: pets.id, name: pets.name })
    .from(pets)
    .where(and(eq(pets.ownerId, owner.userId), ne(pets.name, ''), isKnownPet(owner)))
    .orderBy(pets.id)
    .prepare('search.petNames')
    .execute();

/** Returns the albums that the account owns or is a member of. */
export const listAlbumNames = (db: Db, userId: string): Promise<{ id: string; name: string }[]> =>
  queryPrepared(
    db,
    { id: column.uuid, name: column.text },
    sql`select id, name from album where id in (${selectOpenAlbumIds(userId)}) order by id`,
  );
