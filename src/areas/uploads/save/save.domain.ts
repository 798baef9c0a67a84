import { requireUser } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { AppError, notFound } from '../../../core/errors.ts';
import { findHeldOriginal } from '../../assets/index.ts';
import {
  type LocalFile,
  publishLocalFile,
  publishLocalLivePhoto,
} from '../publish/local-file.domain.ts';
import { findDuplicate } from '../publish/publish.domain.ts';
import { isQuotaExceeded } from '../../../staging/errors.ts';
import type { UploadOutcome } from '../schemas.ts';
import type { SavedAsset } from './save.schemas.ts';
import { findSource, type SaveSource } from './save.store.ts';

// Assets of partners and of shared albums become assets of the caller, as if the caller had uploaded their
// files. Descriptions, tags and edits of their owners stay with them.

/**
 * Adds copies of assets that the caller sees to the caller's library; a live photo with its video. Returns
 * a result for each id, in order. Throws 503 when the disk is full.
 */
export async function saveAssets(ctx: Ctx, ids: readonly string[]): Promise<SavedAsset[]> {
  const results: SavedAsset[] = [];
  for (const id of ids) {
    // Copying takes a while, in which an owner may stop sharing: each is looked up when its turn comes.
    const session = requireUser((await ctx.renewSession?.()) ?? ctx.session);
    results.push({ id, ...(await saveAsset(ctx, session, id)) });
  }
  return results;
}

type Result = Omit<SavedAsset, 'id'>;

const REFUSED = {
  notFound: { success: false, error: 'not_found' },
  duplicate: { success: false, error: 'duplicate' },
  hidesPlace: {
    success: false,
    error: 'no_permission',
    errorMessage: 'The file tells where it was taken, which its owner hides',
  },
} as const satisfies Record<string, Result>;

async function saveAsset(ctx: Ctx, session: UserSession, id: string): Promise<Result> {
  const source = await findSource(ctx.db, session, id, 'shown');
  if (!source) return REFUSED.notFound;
  if (source.ownerId === session.userId) return REFUSED.duplicate;
  if (!source.showsPlace) return REFUSED.hidesPlace;
  const known = await findDuplicate(ctx, session.userId, source.sha1);
  if (known && !known.isTrashed) return REFUSED.duplicate;
  try {
    const { id: assetId, status, isTrashed } = await publish(ctx, session, source, Boolean(known));
    return status === 'created' || isTrashed ? { success: true, assetId } : REFUSED.duplicate;
  } catch (error) {
    // Another request may have saved both halves of the live photo meanwhile.
    const isSaved = await findDuplicate(ctx, session.userId, source.sha1);
    return isSaved && !isSaved.isTrashed ? REFUSED.duplicate : toFailure(error);
  }
}

/** A file that the caller has in the trash is restored with its video, if it has one. */
async function publish(
  ctx: Ctx,
  session: UserSession,
  source: SaveSource,
  isKnown: boolean,
): Promise<UploadOutcome> {
  const { userId } = session;
  const video = isKnown ? undefined : await findNewVideo(ctx, session, source);
  const photo = await toLocalFile(ctx, source);
  if (!video) return publishLocalFile(ctx, userId, photo, writeNothing);
  const halves = { photo, video: await toLocalFile(ctx, video) };
  return publishLocalLivePhoto(ctx, userId, halves, writeNothing);
}

const writeNothing = async (): Promise<void> => {};

/** Returns the video half of a live photo, unless the caller has the same video already. */
async function findNewVideo(
  ctx: Ctx,
  session: UserSession,
  { liveVideoId }: SaveSource,
): Promise<SaveSource | undefined> {
  const video = liveVideoId && (await findSource(ctx.db, session, liveVideoId, 'liveVideo'));
  if (!video || !video.showsPlace) return undefined;
  return (await findDuplicate(ctx, session.userId, video.sha1)) ? undefined : video;
}

/** Throws 404 while the file of the original cannot be reached. */
async function toLocalFile(ctx: Ctx, source: SaveSource): Promise<LocalFile> {
  const path = await findHeldOriginal(ctx, source.sha256);
  if (path === undefined) throw notFound('The file of the asset');
  return {
    path,
    fileName: source.fileName,
    type: source.type,
    // Until the metadata job has read the file.
    createdAt: new Date(source.takenAt),
    modifiedAt: new Date(source.fileModifiedAt),
    sha1: source.sha1,
  };
}

/** Returns what is wrong with one asset; throws what is wrong with the server. */
function toFailure(error: unknown): Result {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const reason = isQuotaExceeded(error) ? 'validation' : 'unknown';
  return { success: false, error: reason, errorMessage: error.message };
}
