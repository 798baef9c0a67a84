import { visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import * as store from './live-photo-video.store.ts';

export type PairedStill = {
  readonly ownerId: string;
  readonly lockedAt: Date | null;
  readonly trashedAt: Date | null;
  /** The shared link through which the still was uploaded; null if its owner uploaded it. */
  readonly uploadLinkId: string | null;
  /** The owner is uploading the still. */
  readonly isUpload?: boolean;
};

/**
 * Hides `videoId` as the video of a live photo. Both must have been uploaded by the owner, or through
 * one shared link. Throws 400 with Immich's messages. Locks the video's row until commit.
 */
export async function attachVideo(
  ctx: Pick<Ctx, 'db' | 'session' | 'now'>,
  videoId: string,
  still: PairedStill,
): Promise<store.Video> {
  const video = await store.lockOwnVideo(ctx.db, videoId, still.ownerId);
  const isVisible = video && (await visibleAmong(ctx.db, ctx.session, [videoId])).size > 0;
  const hasSameUploader =
    video?.ownerId === still.ownerId && video.uploadLinkId === still.uploadLinkId;
  // A guest must not learn about assets that were not uploaded through the link.
  if (!video || (ctx.session.kind === 'sharedLink' && !(isVisible && hasSameUploader)))
    throw notFound();
  if (!hasSameUploader) throw badRequest('Live photo video does not belong to the user');
  if (!isVisible) throw notFound();
  if (video.type !== 'VIDEO') throw badRequest('Live photo video must be a video');
  const isLockSplit = still.lockedAt ? !video.lockedAt && video.isPaired : video.lockedAt !== null;
  if (isLockSplit) throw badRequest('A live photo is locked as a whole: include its video');
  await store.hideVideo(ctx.db, videoId, { isUpload: false, ...still, now: ctx.now() });
  return video;
}

const notFound = () => badRequest('Live photo video not found');
