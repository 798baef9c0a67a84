import { DateTime } from 'luxon';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { isInstant } from '../../../core/dates.ts';
import { badRequest, invalidField, noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { announceTo } from '../../../events/announce.ts';
import { getAsset } from '../domain.ts';
import { findPlace, type PlaceColumns } from '../exif/place.ts';
import { attachVideo } from '../live-photos/live-photo.domain.ts';
import { showVideo } from '../live-photos/live-photo-video.store.ts';
import { setVisibility } from '../locked/lock.domain.ts';
import type { Asset, AssetUpdate } from '../schemas.ts';
import { requireCompletePosition } from './position.ts';
import * as store from './update.store.ts';

/**
 * Updates an asset of the caller and returns it. `visibility: 'locked'` keeps albums and visibility.
 */
export async function updateAsset(ctx: Ctx, id: string, change: AssetUpdate): Promise<Asset> {
  const user = requireUser(ctx.session);
  requireCompletePosition(change);
  const place = await findPlace(ctx.db, change.latitude, change.longitude);
  await inTransaction(ctx, async (ctx) => {
    const before = await store.findOwnForUpdate(ctx.db, ctx.session, id);
    if (!before) throw noAccess('asset.update');
    if (Object.keys(change).length === 0) return;
    await updateExifFields(ctx, before, { ...change, place });
    const row = {
      ...(change.isFavorite !== undefined && { isFavorite: change.isFavorite }),
      ...toDateColumns(change),
      ...(await replaceLiveVideo(ctx, before, change)),
    };
    await store.updateAssetRow(ctx.db, before.id, row, ctx.now());
    if (change.visibility) await setVisibility(ctx, [before.id], change.visibility);
  });
  // The response shows an asset that this request has just locked.
  return getAsset({ ...ctx, session: { ...user, unlocked: true } }, id);
}

async function updateExifFields(
  ctx: Ctx,
  { id }: store.OwnAsset,
  change: AssetUpdate & { readonly place: PlaceColumns },
) {
  const { description, rating, latitude, longitude } = change;
  const date = change.dateTimeOriginal && parseTakenAt(change.dateTimeOriginal);
  const exif: store.ExifChange = {
    ...(description !== undefined && { description }),
    // 0 is no rating, -1 a rejected picture.
    ...(rating !== undefined && { rating: rating || null }),
    ...(date && { dateTimeOriginal: date.toJSDate(), timeZone: date.zoneName }),
    ...(latitude !== undefined && { latitude, ...change.place }),
    ...(longitude !== undefined && { longitude }),
  };
  const edited = Object.keys(exif).filter((field) => EDITABLE_FIELDS.has(field));
  if (edited.length === 0) return;
  await store.updateExif(ctx.db, id, exif, edited);
  await announceTo(ctx.db, requireUser(ctx.session).userId, 'update', [id]);
}

/** Fields that `edited_fields` may contain. */
const EDITABLE_FIELDS = new Set([
  'description',
  'rating',
  'dateTimeOriginal',
  'latitude',
  'longitude',
]);

function parseTakenAt(text: string): DateTime<true> {
  const date = DateTime.fromISO(text, { setZone: true });
  if (!date.isValid || !isInstant(text)) {
    throw invalidField('dateTimeOriginal', 'Must be an ISO 8601 date with a time and an offset');
  }
  return date;
}

function toDateColumns({ dateTimeOriginal }: AssetUpdate): store.AssetChange {
  if (!dateTimeOriginal) return {};
  const date = parseTakenAt(dateTimeOriginal);
  return {
    takenAt: date.toJSDate(),
    localTakenAt: date.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS"),
  };
}

async function replaceLiveVideo(
  ctx: Ctx,
  before: store.OwnAsset,
  { livePhotoVideoId: videoId }: AssetUpdate,
): Promise<store.AssetChange> {
  if (videoId === undefined || videoId === before.liveVideoId) return {};
  if (videoId !== null) {
    const video = await attachVideo(ctx, videoId.toLowerCase(), before);
    if (before.type !== 'IMAGE') throw badRequest('Only a photo can be a live photo');
    if (video.isPaired) throw badRequest('Live photo video belongs to another photo');
    if ((video.lockedAt === null) !== (before.lockedAt === null)) {
      throw badRequest('A live photo is locked as a whole: include its video');
    }
  }
  if (before.liveVideoId !== null) await showVideo(ctx.db, before.liveVideoId, before, ctx.now());
  return { liveVideoId: videoId };
}
