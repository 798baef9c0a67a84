import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  lt,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import { deleteAbout } from '../../../operations/files.store.ts';
import { users } from '../../../db/tables/identity.ts';
import { albums, albumUsers } from '../../../db/tables/albums.ts';
import {
  type StudioDocument,
  type StudioProjectRow,
  studioProjects,
  type StudioRevisionRow,
  studioRevisions,
} from '../../../db/tables/studio.ts';

/** A project with its current document, as one account may use it. */
export type ProjectRow = StudioProjectRow & {
  readonly document: StudioDocument;
  readonly canEdit: boolean;
};

/** Rows that the account may see, and whether it may store revisions. A deleted account shares nothing. */
function selectAccessible(db: Db, userId: string, condition?: SQL) {
  const isOwner = or(eq(studioProjects.ownerId, userId), eq(albums.ownerId, userId));
  const member = and(eq(albumUsers.albumId, albums.id), eq(albumUsers.userId, userId));
  return db
    .select({
      ...getTableColumns(studioProjects),
      document: studioRevisions.document,
      canEdit: sql<boolean>`(${isOwner} or ${albumUsers.role} = 'editor') is true`,
    })
    .from(studioProjects)
    .innerJoin(
      studioRevisions,
      and(
        eq(studioRevisions.projectId, studioProjects.id),
        eq(studioRevisions.revision, studioProjects.headRevision),
      ),
    )
    .innerJoin(users, and(eq(users.id, studioProjects.ownerId), eq(users.status, 'active')))
    .leftJoin(albums, eq(albums.id, studioProjects.albumId))
    .leftJoin(albumUsers, member)
    .where(and(or(isOwner, isNotNull(albumUsers.userId)), condition));
}

const MAX_PROJECTS = 500;

/** Own and shared ones, the last changed first. */
export const listProjects = (db: Db, userId: string): Promise<ProjectRow[]> =>
  selectAccessible(db, userId)
    .orderBy(desc(studioProjects.updatedAt), studioProjects.id)
    .limit(MAX_PROJECTS);

export async function findProject(
  db: Db,
  userId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await selectAccessible(db, userId, eq(studioProjects.id, id));
  return row;
}

/** Returns those of `ids` that the account may see. */
export async function listAccessible(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await selectAccessible(db, userId, inArray(studioProjects.id, [...new Set(ids)]));
  return new Set(rows.map(({ id }) => id));
}

/** Like findProject, locked until the transaction ends. */
export async function lockProject(
  db: Db,
  userId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  await queryRows(db, sql`select from studio_project where id = ${id}::uuid for update`);
  return findProject(db, userId, id);
}

/** Whether the account may share projects with the members of the album. */
export async function canShareWith(db: Db, userId: string, albumId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select from album where id = ${albumId}::uuid and (owner_id = ${userId}::uuid or exists (
      select from album_user where album_id = album.id and user_id = ${userId}::uuid))`,
  );
  return rows.length > 0;
}

export async function insertProject(
  db: Db,
  values: typeof studioProjects.$inferInsert,
): Promise<StudioProjectRow> {
  const [row] = await db.insert(studioProjects).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

export async function updateProject(
  db: Db,
  id: string,
  change: Partial<Omit<StudioProjectRow, 'id' | 'ownerId'>>,
): Promise<void> {
  await db.update(studioProjects).set(change).where(eq(studioProjects.id, id));
}

/** Deletes a project with its films. */
export async function deleteProject(db: Db, id: string): Promise<void> {
  await deleteAbout(db, { projectId: id });
  await db.delete(studioProjects).where(eq(studioProjects.id, id));
}

export async function insertRevision(
  db: Db,
  values: typeof studioRevisions.$inferInsert,
): Promise<void> {
  await db.insert(studioRevisions).values(values);
}

type RevisionPage = { readonly before?: number | undefined; readonly limit: number };

/** Newest first, without documents. */
export const listRevisions = (db: Db, projectId: string, { before, limit }: RevisionPage) =>
  db
    .select({
      revision: studioRevisions.revision,
      createdAt: studioRevisions.createdAt,
      createdBy: studioRevisions.createdBy,
    })
    .from(studioRevisions)
    .where(
      and(
        eq(studioRevisions.projectId, projectId),
        before === undefined ? undefined : lt(studioRevisions.revision, before),
      ),
    )
    .orderBy(desc(studioRevisions.revision))
    .limit(limit);

export async function findRevision(
  db: Db,
  projectId: string,
  revision: number,
): Promise<StudioRevisionRow | undefined> {
  const [row] = await db
    .select()
    .from(studioRevisions)
    .where(and(eq(studioRevisions.projectId, projectId), eq(studioRevisions.revision, revision)));
  return row;
}
