import { visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import * as store from './live-photo-video.store.ts';

export type PairedStill = {
  readonly ownerId: string;
  readonly lockedAt: Date | null;
  readonly trashedAt: Date | null;
  /** The shared link through which the still came; null: its owner uploaded it. */
  readonly uploadLinkId: string | null;
};

/**
 * Hides `videoId` as the moving half of a still. Both must have been uploaded by the same person in the
 * same way: by the owner, or by guests of one shared link. Throws with Immich's messages. Locks the
 * video until commit.
 */
export async function attachVideo(
  ctx: Pick<Ctx, 'db' | 'session' | 'now'>,
  videoId: string,
  still: PairedStill,
): Promise<store.Video> {
  const video = await store.lockVideo(ctx.db, videoId);
  const isVisible = video && (await visibleAmong(ctx.db, ctx.session, [videoId])).size > 0;
  const isTogether = video?.ownerId === still.ownerId && video.uploadLinkId === still.uploadLinkId;
  // A guest learns nothing about what did not come through his link.
  if (!video || (ctx.session.kind === 'sharedLink' && !(isVisible && isTogether))) throw notFound();
  if (!isTogether) throw badRequest('Live photo video does not belong to the user');
  if (!isVisible) throw notFound();
  if (video.type !== 'VIDEO') throw badRequest('Live photo video must be a video');
  const isApart = still.lockedAt ? !video.lockedAt && video.isTaken : video.lockedAt !== null;
  if (isApart) throw badRequest('Both halves of a live photo are locked, or neither');
  await store.hideVideo(ctx.db, videoId, { ...still, now: ctx.now() });
  return video;
}

const notFound = () => badRequest('Live photo video not found');
