import { and, asc, eq, exists, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { isShownInAlbum } from '../../access/albums.ts';
import { albumMembers } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryPrepared } from '../../db/query.ts';
import { albums } from '../../db/tables/albums.ts';
import { activities, type ActivityRow } from '../../db/tables/albums.ts';
import { type UserRow, users } from '../../db/tables/identity.ts';
import type { ActivityFilter, ActivityStatistics } from './schemas.ts';

export type Reader = { readonly db: Db; readonly session: Session };
export type ActivityView = { readonly activity: ActivityRow; readonly user: UserRow };

/** Activities of an item are shown while the album shows the item. */
function isShown(db: Db, session: Session): SQL | undefined {
  const shown = hasContentRules(session)
    ? exists(selectAlbumAssets(db, session))
    : isShownInAlbum(sql`${activities.albumId}`, sql`${activities.assetId}`);
  return and(or(isNull(activities.assetId), shown), isNull(users.deletedAt));
}

const hasContentRules = (session: Session) =>
  session.kind === 'user' && session.contentRules.length > 0;

function selectAlbumAssets(db: Db, session: Session) {
  const asset = albumMembers(db, session);
  const isMember = and(eq(asset.albumId, activities.albumId), eq(asset.id, activities.assetId));
  return db
    .select({ one: sql`1` })
    .from(asset)
    .where(isMember);
}

const toConditions = ({ albumId, assetId, level, type, userId }: ActivityFilter) =>
  and(
    eq(activities.albumId, albumId),
    level === 'album' ? isNull(activities.assetId) : undefined,
    level === 'asset' ? isNotNull(activities.assetId) : undefined,
    level === 'album' || assetId === undefined ? undefined : eq(activities.assetId, assetId),
    type && eq(activities.kind, type),
    userId === undefined ? undefined : eq(activities.userId, userId),
  );

/** Returns activities, oldest first. */
export const listActivities = (
  db: Db,
  session: Session,
  filter: ActivityFilter,
): Promise<ActivityView[]> =>
  db
    .select({ activity: activities, user: users })
    .from(activities)
    .innerJoin(users, eq(users.id, activities.userId))
    .where(and(toConditions(filter), isShown(db, session)))
    .orderBy(asc(activities.createdAt), asc(activities.id));

export async function countActivities(
  { db, session }: Reader,
  filter: Pick<ActivityFilter, 'albumId' | 'assetId'>,
): Promise<ActivityStatistics> {
  const row = getRow(
    await queryPrepared(
      db,
      { comments: column.bigint, likes: column.bigint },
      sql`select count(*) filter (where ${activities.kind} = 'comment') as comments,
        count(*) filter (where ${activities.kind} = 'like') as likes
      from ${activities} join ${users} on ${users.id} = ${activities.userId}
      where ${and(toConditions(filter), isShown(db, session))}`,
    ),
  );
  return { comments: Number(row.comments), likes: Number(row.likes) };
}

/** Returns whether activities are enabled and the album shows the asset, if one is given. */
export async function acceptsActivities(
  db: Db,
  session: Session,
  { albumId, assetId }: Pick<ActivityFilter, 'albumId' | 'assetId'>,
) {
  const asset = albumMembers(db, session, { suppressed: 'in' });
  const shown = db
    .select({ one: sql`1` })
    .from(asset)
    .where(and(eq(asset.albumId, albumId), eq(asset.id, assetId ?? albumId)));
  const rows = await db
    .select({ id: albums.id })
    .from(albums)
    .where(
      and(
        eq(albums.id, albumId),
        eq(albums.isActivityEnabled, true),
        assetId === undefined ? undefined : exists(shown),
      ),
    );
  return rows.length > 0;
}

export async function insertComment(
  db: Db,
  values: typeof activities.$inferInsert,
): Promise<ActivityRow> {
  const [row] = await db.insert(activities).values(values).returning();
  if (!row) throw new Error('insert answered no row');
  return row;
}

export type Like = {
  readonly albumId: string;
  readonly userId: string;
  readonly assetId: string | null;
};

/** Returns undefined when the account likes it already. */
export async function insertLike(db: Db, like: Like): Promise<ActivityRow | undefined> {
  const [row] = await db
    .insert(activities)
    .values({ ...like, kind: 'like' })
    .onConflictDoNothing()
    .returning();
  return row;
}

export async function findLike(
  db: Db,
  { albumId, userId, assetId }: Like,
): Promise<ActivityRow | undefined> {
  const [row] = await db
    .select()
    .from(activities)
    .where(
      and(
        eq(activities.albumId, albumId),
        eq(activities.userId, userId),
        assetId === null ? isNull(activities.assetId) : eq(activities.assetId, assetId),
        eq(activities.kind, 'like'),
      ),
    );
  return row;
}

/** Returns false when the account may not delete such an activity. */
export async function deleteActivity(db: Db, id: string, userId: string): Promise<boolean> {
  const isInOwnAlbum = exists(
    db
      .select({ one: sql`1` })
      .from(albums)
      .where(and(eq(albums.id, activities.albumId), eq(albums.ownerId, userId))),
  );
  const rows = await db
    .delete(activities)
    .where(and(eq(activities.id, id), or(eq(activities.userId, userId), isInOwnAlbum)))
    .returning({ id: activities.id });
  return rows.length > 0;
}
