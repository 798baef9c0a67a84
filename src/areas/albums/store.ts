import { and, desc, eq, exists, inArray, or, type SQL, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../access/albums.ts';
import { albumMembers } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import {
  type AlbumRow,
  albumAssets,
  albums,
  albumUsers,
  sharedLinks,
} from '../../db/tables/albums.ts';
import { users } from '../../db/tables/identity.ts';
import { anyOfIds, uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type AlbumRole = 'owner' | 'editor' | 'viewer';

export type AlbumSearch = {
  readonly ids?: readonly string[];
  readonly assetId?: string | undefined;
  readonly name?: string | undefined;
  readonly isOwned?: boolean | undefined;
  readonly isShared?: boolean | undefined;
};

/** Returns own albums and those shared with the account, newest first. */
export async function listAlbums(db: Db, session: UserSession, search: AlbumSearch) {
  const { userId } = session;
  return db
    .select()
    .from(albums)
    .where(and(isReachable(db, userId), ...toConditions(db, session, search)))
    .orderBy(desc(albums.createdAt), desc(albums.id))
    .prepare('albums.list')
    .execute();
}

const isReachable = (db: Db, userId: string) =>
  or(
    eq(albums.ownerId, userId),
    and(isMember(db, eq(albumUsers.userId, userId)), HAS_ACTIVE_OWNER),
  );

const isMember = (db: Db, condition?: SQL) =>
  exists(
    db
      .select({ one: sql`1` })
      .from(albumUsers)
      .where(and(eq(albumUsers.albumId, albums.id), condition)),
  );

const hasLink = (db: Db) =>
  exists(
    db
      .select({ one: sql`1` })
      .from(sharedLinks)
      .where(eq(sharedLinks.albumId, albums.id)),
  );

function toConditions(db: Db, session: UserSession, search: AlbumSearch): (SQL | undefined)[] {
  const { userId } = session;
  const isShared = sql`(${isMember(db)} or ${hasLink(db)})`;
  return [
    search.ids && sql`${albums.id} = ${anyOfIds(search.ids)}`,
    search.name === undefined ? undefined : eq(albums.name, search.name.normalize('NFC')),
    search.isOwned === undefined
      ? undefined
      : sql`(${albums.ownerId} = ${userId}) = ${search.isOwned}`,
    search.isShared === undefined ? undefined : sql`${isShared} = ${search.isShared}`,
    search.assetId && containsAsset(db, session, search.assetId),
  ].map((condition) => condition || undefined);
}

function containsAsset(db: Db, session: Session, assetId: string): SQL {
  const asset = albumMembers(db, session, { suppressed: 'in' });
  return exists(
    db
      .select({ one: sql`1` })
      .from(asset)
      .where(and(eq(asset.albumId, albums.id), eq(asset.id, assetId))),
  );
}

/** Locks a name until the transaction ends: nobody else creates an album that is looked for by it. */
export async function lockAlbumName(db: Db, ownerId: string, name: string): Promise<void> {
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(${`album:${ownerId}:${name}`}, 0))`,
  );
}

export async function findAlbum(db: Db, id: string): Promise<AlbumRow | undefined> {
  const [row] = await findAlbums(db, [id]);
  return row;
}

export const findAlbums = (db: Db, ids: readonly string[]): Promise<AlbumRow[]> =>
  db
    .select()
    .from(albums)
    .where(sql`${albums.id} = ${anyOfIds(ids)}`)
    .prepare('albums.find')
    .execute();

/** Returns the role of the account by album; albums that it may not open are absent. */
export async function findRoles(db: Db, userId: string, ids: readonly string[]) {
  const rows = await db
    .select({
      id: albums.id,
      role: sql<AlbumRole>`case when ${albums.ownerId} = ${userId} then 'owner' else ${albumUsers.role} end`,
    })
    .from(albums)
    .leftJoin(albumUsers, and(eq(albumUsers.albumId, albums.id), eq(albumUsers.userId, userId)))
    .where(and(sql`${albums.id} = ${anyOfIds(ids)}`, isReachable(db, userId)))
    .prepare('albums.findRoles')
    .execute();
  return new Map(rows.map((row) => [row.id, row.role]));
}

export async function listMembers(db: Db, ids: readonly string[]) {
  return db
    .select({ albumId: albumUsers.albumId, role: albumUsers.role, user: users })
    .from(albumUsers)
    .innerJoin(users, eq(users.id, albumUsers.userId))
    .where(sql`${albumUsers.albumId} = ${anyOfIds(ids)}`)
    .orderBy(albumUsers.createdAt, users.id)
    .prepare('albums.listMembers')
    .execute();
}

export async function findOwners(db: Db, rows: readonly AlbumRow[]) {
  const ids = [...new Set(rows.map((row) => row.ownerId))];
  const found = await db
    .select()
    .from(users)
    .where(sql`${users.id} = ${anyOfIds(ids)}`)
    .prepare('albums.findOwners')
    .execute();
  return new Map(found.map((user) => [user.id, user]));
}

export async function filterLinked(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ id: sharedLinks.albumId })
    .from(sharedLinks)
    .where(sql`${sharedLinks.albumId} = ${anyOfIds(ids)}`)
    .prepare('albums.filterLinked')
    .execute();
  return new Set(rows.flatMap((row) => row.id ?? []));
}

type ServerColumn = 'id' | 'ownerId' | 'createdAt' | 'updatedAt' | 'since';
/** The columns that people set. All are required, so that a new one does not compile until each writer names it. */
type AlbumValues = {
  readonly [Column in Exclude<keyof AlbumRow, ServerColumn>]: AlbumRow[Column] | undefined;
};

export async function insertAlbum(
  db: Db,
  ownerId: string,
  values: AlbumValues & Pick<AlbumRow, 'name'>,
): Promise<AlbumRow> {
  const [row] = await db
    .insert(albums)
    .values({ ownerId, ...values })
    .returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** Values that are undefined stay as they are. */
export async function updateAlbum(
  db: Db,
  id: string,
  change: AlbumValues & Pick<AlbumRow, 'updatedAt'>,
): Promise<void> {
  await db.update(albums).set(change).where(eq(albums.id, id));
}

export async function touchAlbum(db: Db, id: string, updatedAt: Date): Promise<void> {
  await db.update(albums).set({ updatedAt }).where(eq(albums.id, id));
}

/** Notifies everyone who may open the album of a change. Triggers announce changes of its items. */
export async function announceAlbum(db: Db, id: string): Promise<void> {
  await queryRows(
    db,
    sql`
    select announce(known.id, 'album', array[${id}::uuid]) from (
      select owner_id as id from album where id = ${id}
      union select user_id from album_user where album_id = ${id}
    ) known where is_listened_to(known.id)`,
  );
}

export async function deleteAlbum(db: Db, id: string): Promise<void> {
  await db.delete(albums).where(eq(albums.id, id));
}

/** Returns the ids of the assets that were not in the album before. */
export async function addAssets(db: Db, albumId: string, ids: readonly string[], addedBy: string) {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    insert into album_asset (album_id, asset_id, added_by)
    select ${albumId}, id, ${addedBy} from unnest(${uuids(ids)}) id
    on conflict do nothing
    returning asset_id as id`,
  );
  return new Set(rows.map((row) => row.id));
}

/** Returns the ids of the assets that were in the album. */
export async function removeAssets(db: Db, albumId: string, ids: readonly string[]) {
  const rows = await db
    .delete(albumAssets)
    .where(and(eq(albumAssets.albumId, albumId), sql`${albumAssets.assetId} = any(${uuids(ids)})`))
    .returning({ id: albumAssets.assetId });
  return new Set(rows.map((row) => row.id));
}

/** Returns the subset of `ids` in the album, including items that it does not show. */
export async function filterContained(db: Db, albumId: string, ids: readonly string[]) {
  const rows = await db
    .select({ id: albumAssets.assetId })
    .from(albumAssets)
    .where(and(eq(albumAssets.albumId, albumId), sql`${albumAssets.assetId} = any(${uuids(ids)})`));
  return new Set(rows.map((row) => row.id));
}

export async function showsAsset(
  db: Db,
  session: Session,
  { albumId, assetId }: { readonly albumId: string; readonly assetId: string },
): Promise<boolean> {
  const asset = albumMembers(db, session, { suppressed: 'in' });
  const rows = await db
    .select({ id: asset.id })
    .from(asset)
    .where(and(eq(asset.albumId, albumId), eq(asset.id, assetId)));
  return rows.length > 0;
}

export async function filterActiveUsers(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, [...ids]), eq(users.status, 'active')));
  return new Set(rows.map((row) => row.id));
}

type Member = { readonly userId: string; readonly role: 'editor' | 'viewer' };

/** Returns the ids of owner and members. */
export async function listAccountIds(db: Db, albumId: string): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select owner_id as id from album where id = ${albumId}
    union all select user_id from album_user where album_id = ${albumId}`,
  );
  return new Set(rows.map((row) => row.id));
}

export async function isOwner(db: Db, albumId: string, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: albums.id })
    .from(albums)
    .where(and(eq(albums.id, albumId), eq(albums.ownerId, userId)));
  return rows.length > 0;
}

/** `since`: the transaction that added the member. */
export type NewMember = Pick<typeof albumUsers.$inferSelect, 'userId' | 'since'>;

/** Adds members and records the chain of inviters. Returns those who were none before. */
export async function addMembers(
  db: Db,
  albumId: string,
  members: readonly Member[],
  inviterId: string,
): Promise<NewMember[]> {
  const invitedBy = sql`coalesce((select array_append(inviter.invited_by, inviter.user_id)
    from album_user inviter
    where inviter.album_id = ${albumId} and inviter.user_id = ${inviterId}), '{}')`;
  return db
    .insert(albumUsers)
    .values(members.map((member) => ({ albumId, ...member, invitedBy })))
    .onConflictDoNothing()
    .returning({ userId: albumUsers.userId, since: albumUsers.since });
}

/** Returns false when the account is no member. */
export async function updateRole(
  db: Db,
  albumId: string,
  { userId, role }: Member,
): Promise<boolean> {
  const rows = await db
    .update(albumUsers)
    .set({ role })
    .where(and(eq(albumUsers.albumId, albumId), eq(albumUsers.userId, userId)))
    .returning({ userId: albumUsers.userId });
  return rows.length > 0;
}

export async function removeMember(db: Db, albumId: string, userId: string): Promise<boolean> {
  const rows = await db
    .delete(albumUsers)
    .where(and(eq(albumUsers.albumId, albumId), eq(albumUsers.userId, userId)))
    .returning({ userId: albumUsers.userId });
  return rows.length > 0;
}

export async function countAlbums(db: Db, userId: string) {
  const isOwn = sql`${albums.ownerId} = ${userId}`;
  const isShared = sql`(${isMember(db)} or ${hasLink(db)})`;
  const [row] = await db
    .select({
      owned: sql`count(*) filter (where ${isOwn})`.mapWith(Number),
      shared: sql`count(*) filter (where ${isShared})`.mapWith(Number),
      notShared: sql`count(*) filter (where ${isOwn} and not ${isShared})`.mapWith(Number),
    })
    .from(albums)
    .where(isReachable(db, userId));
  return row ?? { owned: 0, shared: 0, notShared: 0 };
}
