import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import {
  albums,
  hidesPlaces,
  placelessLinks,
  sharedLinkAssets,
  sharedLinks,
} from '../../db/tables/albums.ts';
import { users } from '../../db/tables/identity.ts';
import { anyOfIds, uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type LinkRow = typeof sharedLinks.$inferSelect & { readonly hidesPlaces: boolean };
export type NewLink = typeof sharedLinks.$inferInsert;

const LINK_COLUMNS = { ...getTableColumns(sharedLinks), hidesPlaces };

export type LinkSearch = {
  readonly id?: string | undefined;
  readonly albumId?: string | undefined;
};

/** Returns the owner's links, newest first. */
export const listLinks = (db: Db, ownerId: string, { id, albumId }: LinkSearch) =>
  db
    .select(LINK_COLUMNS)
    .from(sharedLinks)
    .where(
      and(
        eq(sharedLinks.ownerId, ownerId),
        id === undefined ? undefined : eq(sharedLinks.id, id),
        albumId === undefined ? undefined : eq(sharedLinks.albumId, albumId),
      ),
    )
    .orderBy(desc(sharedLinks.createdAt), desc(sharedLinks.id))
    .prepare('sharedLinks.list')
    .execute();

/** Returns the link by id; the caller has checked access. */
export async function findLink(db: Db, id: string): Promise<LinkRow | undefined> {
  const [row] = await db
    .select(LINK_COLUMNS)
    .from(sharedLinks)
    .where(eq(sharedLinks.id, id))
    .prepare('sharedLinks.find')
    .execute();
  return row;
}

/** Returns who has made the link. */
export async function findLinkOwner(db: Db, id: string): Promise<{ name: string } | undefined> {
  const [owner] = await db
    .select({ name: users.name })
    .from(sharedLinks)
    .innerJoin(users, eq(users.id, sharedLinks.ownerId))
    .where(eq(sharedLinks.id, id))
    .prepare('sharedLinks.owner')
    .execute();
  return owner;
}

/** Returns the owner's link, locked until the transaction ends. */
export async function lockLink(db: Db, ownerId: string, id: string): Promise<LinkRow | undefined> {
  const [row] = await db
    .select(LINK_COLUMNS)
    .from(sharedLinks)
    .where(and(eq(sharedLinks.id, id), eq(sharedLinks.ownerId, ownerId)))
    .for('no key update');
  return row;
}

/** Returns whether the account owns the album. */
export async function ownsAlbum(db: Db, ownerId: string, albumId: string): Promise<boolean> {
  const rows = await db
    .select({ id: albums.id })
    .from(albums)
    .where(and(eq(albums.id, albumId), eq(albums.ownerId, ownerId)))
    .for('key share');
  return rows.length > 0;
}

/** Returns undefined when the slug is taken. */
export async function insertLink(db: Db, link: NewLink) {
  const [row] = await db
    .insert(sharedLinks)
    .values(link)
    .onConflictDoNothing({ target: sharedLinks.slug })
    .returning();
  return row;
}

/** Throws a unique violation when the slug is taken. */
export async function updateLink(db: Db, id: string, change: Partial<NewLink>): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await db.update(sharedLinks).set(change).where(eq(sharedLinks.id, id));
}

/** Sets whether the link hides from guests where items were taken. */
export async function setHidesPlaces(db: Db, linkId: string, isHidden: boolean): Promise<void> {
  if (isHidden) await db.insert(placelessLinks).values({ linkId }).onConflictDoNothing();
  else await db.delete(placelessLinks).where(eq(placelessLinks.linkId, linkId));
}

export async function deleteLink(db: Db, ownerId: string, id: string): Promise<boolean> {
  const rows = await db
    .delete(sharedLinks)
    .where(and(eq(sharedLinks.id, id), eq(sharedLinks.ownerId, ownerId)))
    .returning({ id: sharedLinks.id });
  return rows.length > 0;
}

/** Returns the ids that the link did not have before. */
export async function addAssets(db: Db, linkId: string, ids: readonly string[]) {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    insert into shared_link_asset (link_id, asset_id)
    select ${linkId}, id from unnest(${uuids(ids)}) id order by id
    on conflict do nothing
    returning asset_id as id`,
  );
  return new Set(rows.map((row) => row.id));
}

/** Returns the ids that the link had. */
export async function removeAssets(db: Db, linkId: string, ids: readonly string[]) {
  const rows = await db
    .delete(sharedLinkAssets)
    .where(
      and(
        eq(sharedLinkAssets.linkId, linkId),
        sql`${sharedLinkAssets.assetId} = any(${uuids(ids)})`,
      ),
    )
    .returning({ id: sharedLinkAssets.assetId });
  return new Set(rows.map((row) => row.id));
}

/** Returns the own assets that the links show, oldest first, by link. */
export async function listLinkAssets(
  db: Db,
  session: Session,
  linkIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const sharers = session.kind === 'user' ? session.sharers : [];
  const asset = visibleAssets(db, session, 'library', { sharers });
  const rows = await db
    .select({ linkId: sharedLinkAssets.linkId, assetId: sharedLinkAssets.assetId })
    .from(sharedLinkAssets)
    .innerJoin(asset, eq(asset.id, sharedLinkAssets.assetId))
    .where(sql`${sharedLinkAssets.linkId} = ${anyOfIds(linkIds)}`)
    .orderBy(asset.takenAt, asset.id)
    .prepare('sharedLinks.listAssets')
    .execute();
  const members = Map.groupBy(rows, (row) => row.linkId);
  return new Map([...members].map(([id, found]) => [id, found.map((row) => row.assetId)]));
}
