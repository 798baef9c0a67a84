import { DateTime } from 'luxon';
import { asUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { isInstant } from '../../../core/dates.ts';
import { badRequest, invalidField, noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { announceTo } from '../../../events/announce.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { getAsset } from '../domain.ts';
import { readMetadata } from '../jobs.ts';
import { attachVideo } from '../live-photos/live-photo.domain.ts';
import { showVideo } from '../live-photos/live-photo-video.store.ts';
import { setVisibility } from '../locked/lock.domain.ts';
import type { Asset, AssetUpdate } from '../schemas.ts';
import * as store from './update.store.ts';

/** Changes what the owner may change by hand. Locking through the visibility keeps albums and shelf. */
export async function updateAsset(ctx: Ctx, id: string, change: AssetUpdate): Promise<Asset> {
  const user = asUser(ctx.session);
  await inTransaction(ctx, async (ctx) => {
    const before = await store.findOwn(ctx.db, ctx.session, id);
    if (!before) throw noAccess('asset.update');
    if (Object.keys(change).length === 0) return;
    await changeExif(ctx, before, change);
    const row = {
      ...(change.isFavorite !== undefined && { isFavorite: change.isFavorite }),
      ...dateColumns(change),
      ...(await changeLiveVideo(ctx, before, change)),
    };
    await store.updateRow(ctx.db, before.id, row, ctx.now());
    if (change.visibility) await setVisibility(ctx, [before.id], change.visibility);
  });
  // Whoever locks an asset is told so, and sees it no more after that.
  return getAsset({ ...ctx, session: { ...user, unlocked: true } }, id);
}

async function changeExif(ctx: Ctx, { id }: store.OwnAsset, change: AssetUpdate) {
  const { description, rating, latitude, longitude } = change;
  if ((latitude === undefined) !== (longitude === undefined)) {
    const absent = latitude === undefined ? 'latitude' : 'longitude';
    throw invalidField(absent, 'Latitude and longitude need each other');
  }
  const date = change.dateTimeOriginal && takenAt(change.dateTimeOriginal);
  const exif: store.ExifChange = {
    ...(description !== undefined && { description }),
    // Clients that cannot send null say 0 or -1.
    ...(rating !== undefined && { rating: rating === null || rating < 1 ? null : rating }),
    ...(date && { dateTimeOriginal: date.toJSDate(), timeZone: date.zoneName }),
    // The place follows when the job has looked the new position up.
    ...(latitude !== undefined && { latitude, city: null, state: null, country: null }),
    ...(longitude !== undefined && { longitude }),
  };
  const edited = Object.keys(exif).filter((field) => EDITABLE.has(field));
  if (edited.length === 0) return;
  await store.updateExif(ctx.db, id, exif, edited);
  await announceTo(ctx.db, asUser(ctx.session).userId, 'update', [id]);
  if (latitude !== undefined) await enqueue(ctx.db, readMetadata, { assetId: id });
}

/** What `edited_fields` may name. */
const EDITABLE = new Set(['description', 'rating', 'dateTimeOriginal', 'latitude', 'longitude']);

function takenAt(text: string): DateTime<true> {
  const at = DateTime.fromISO(text, { setZone: true });
  if (!at.isValid || !isInstant(text)) {
    throw invalidField('dateTimeOriginal', 'Not a date with a time and an offset');
  }
  return at;
}

function dateColumns({ dateTimeOriginal }: AssetUpdate): store.AssetChange {
  if (!dateTimeOriginal) return {};
  const date = takenAt(dateTimeOriginal);
  return {
    takenAt: date.toJSDate(),
    localTakenAt: date.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS"),
  };
}

async function changeLiveVideo(
  ctx: Ctx,
  before: store.OwnAsset,
  { livePhotoVideoId: videoId }: AssetUpdate,
): Promise<store.AssetChange> {
  if (videoId === undefined || videoId === before.liveVideoId) return {};
  if (videoId !== null) {
    const video = await attachVideo(ctx, videoId.toLowerCase(), before);
    if (before.type !== 'IMAGE') throw badRequest('Only a photo can be a live photo');
    if (video.isTaken) throw badRequest('Live photo video belongs to another photo');
    if ((video.lockedAt === null) !== (before.lockedAt === null)) {
      throw badRequest('Both halves of a live photo are locked, or neither');
    }
  }
  if (before.liveVideoId !== null) await showVideo(ctx.db, before.liveVideoId, before, ctx.now());
  return { liveVideoId: videoId };
}
