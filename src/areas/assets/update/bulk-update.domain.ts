import { assignDuplicateId } from '../../duplicate-sets/index.ts';
import { requireUser, lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { lockStackMembers } from '../../stack-members/index.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField, noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type DateChange, toDateChange, invalidZone } from './date-change.ts';
import type { BulkUpdate } from './bulk.schemas.ts';
import { findPlace, type PlaceColumns } from '../exif/place.ts';
import { requireCompletePosition } from './position.ts';
import * as store from './bulk-update.store.ts';
import { setVisibility } from '../locked/lock.domain.ts';

/** Updates all assets or none. Throws 400 unless all are the caller's own. */
export async function updateAssets(ctx: Ctx, { ids, ...change }: BulkUpdate): Promise<void> {
  const user = requireUser(ctx.session);
  requireCompletePosition(change);
  const dates = toDateChange(change);
  await requireKnownZone(ctx, dates);
  const place = await findPlace(ctx.db, change.latitude, change.longitude);
  const uniqueIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    await lockOwnedAssets({ ...ctx, session: toEffectiveSession(user, change) }, uniqueIds, change);
    await updateFields(ctx, uniqueIds, { ...change, place }, dates);
    if (change.duplicateId !== undefined) {
      await assignDuplicateId({ db: ctx.db, session: user }, uniqueIds, change.duplicateId);
    }
    if (change.visibility) await setVisibility(ctx, uniqueIds, change.visibility);
  });
}

type Change = Omit<BulkUpdate, 'ids'>;

async function requireKnownZone({ db }: Ctx, dates: DateChange | undefined): Promise<void> {
  const zone = dates?.kind === 'shift' ? dates.zone : undefined;
  if (!zone || zone.offsetMinutes !== undefined) return;
  if (!(await store.isKnownZone(db, zone.name))) throw invalidZone();
}

/** Returns an unlocked session for a request that only locks: assets may be locked already. */
function toEffectiveSession(user: UserSession, { visibility, ...others }: Change): UserSession {
  const isLocking = visibility === 'locked';
  return isLocking && Object.values(others).every((value) => value === undefined)
    ? { ...user, unlocked: true }
    : user;
}

/**
 * Locks the assets and, for a change of visibility, the members of their stacks in one order. Throws
 * 400 unless all are the caller's own.
 */
async function lockOwnedAssets(
  ctx: Ctx,
  ids: readonly string[],
  { visibility }: Change,
): Promise<void> {
  const { db, session } = ctx;
  const requireAll = (owned: ReadonlySet<string>) => {
    if (owned.size < ids.length) throw noAccess('asset.update');
  };
  if (visibility === undefined) return requireAll(await lockOwned(db, session, ids));
  requireAll(await ownedAmong(db, session, ids));
  await lockStackMembers(db, ids);
  requireAll(await ownedAmong(db, session, ids));
}

async function updateFields(
  { db, now }: Ctx,
  ids: readonly string[],
  { isFavorite, description, rating, latitude, longitude, place }: Change & { place: PlaceColumns },
  dates: DateChange | undefined,
): Promise<void> {
  const exif = {
    description,
    // 0 is no rating, -1 a rejected picture.
    rating: rating === 0 ? null : rating,
    latitude,
    longitude,
    isDated: dates !== undefined,
    zone: getZoneName(dates),
  };
  const hasExif = Object.values(exif).some((value) => value !== undefined && value !== false);
  if (isFavorite === undefined && !hasExif) return;
  await store.updateAssets(db, ids, { isFavorite, dates, now: now() });
  if (dates && (await store.hasUnrepresentableDates(db, ids))) {
    throw invalidField('dateTimeRelative', 'Moves a date outside the years 1 to 9999');
  }
  await store.updateExif(db, ids, { ...exif, place });
}

const getZoneName = (dates: DateChange | undefined): string | undefined =>
  dates?.kind === 'fixed' ? dates.zone : dates?.kind === 'shift' ? dates.zone?.name : undefined;
