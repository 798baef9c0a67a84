import { canOpenAlbum } from '../../access/albums.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { invalidField, noAccess } from '../../core/errors.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { findUser, toUser } from '../users/index.ts';
import type { Activity, ActivityCreate, ActivityFilter, ActivityStatistics } from './schemas.ts';
import * as store from './store.ts';

export async function listActivities(ctx: Ctx, filter: ActivityFilter): Promise<Activity[]> {
  await requireMember(ctx, filter.albumId, 'album.read');
  return (await store.listActivities(ctx.db, ctx.session, filter)).map(toActivity);
}

export async function getActivityStatistics(
  ctx: Ctx,
  filter: Pick<ActivityFilter, 'albumId' | 'assetId'>,
): Promise<ActivityStatistics> {
  await requireMember(ctx, filter.albumId, 'album.read');
  return store.countActivities(ctx, filter);
}

export type Created = { readonly activity: Activity; readonly isNew: boolean };

/** Creates an activity. A repeated like returns the existing one with `isNew: false`. */
export async function createActivity(ctx: Ctx, input: ActivityCreate): Promise<Created> {
  const { userId } = requireUser(ctx.session);
  const { albumId, assetId = null } = input;
  const comment = requireComment(input);
  return keepLimit(ctx, 'activity', { ownerId: userId }, async (ctx) => {
    await requireMember(ctx, albumId, 'activity.create');
    if (!(await store.acceptsActivities(ctx.db, ctx.session, input))) {
      throw noAccess('activity.create');
    }
    const user = await findUser(ctx.db, userId);
    if (!user) throw noAccess('activity.create');
    const common = { albumId, userId, assetId };
    if (comment !== undefined) {
      const values = { ...common, kind: 'comment' as const, comment };
      const activity = await store.insertComment(ctx.db, values);
      return { activity: toActivity({ activity, user }), isNew: true };
    }
    const made = await store.insertLike(ctx.db, common);
    const activity = made ?? (await store.findLike(ctx.db, common));
    // Deleted meanwhile.
    if (!activity) throw noAccess('activity.create');
    return { activity: toActivity({ activity, user }), isNew: made !== undefined };
  });
}

/** Returns the text of a comment, undefined for a like. Throws 400 for a mismatch. */
function requireComment({ type, comment }: ActivityCreate): string | undefined {
  if (type === 'like') {
    if (comment)
      throw invalidField('comment', 'Comment must not be provided when type is not COMMENT');
    return undefined;
  }
  if (!comment?.trim()) throw invalidField('comment', 'Comment is required when type is COMMENT');
  return comment;
}

/** Deletes an activity, as its author or as the owner of the album. */
export async function deleteActivity(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.deleteActivity(ctx.db, id, userId))) throw noAccess('activity.delete');
}

async function requireMember(ctx: Ctx, albumId: string, permission: string): Promise<void> {
  const user = requireUser(ctx.session);
  if (!(await canOpenAlbum(ctx.db, user, albumId.toLowerCase()))) throw noAccess(permission);
}

const toActivity = ({ activity, user }: store.ActivityView): Activity => ({
  id: activity.id,
  assetId: activity.assetId,
  createdAt: activity.createdAt.toISOString(),
  type: activity.kind,
  user: toUser(user),
  // Null for a like.
  comment: activity.comment,
});
