import { saveKeepDecision } from '../../duplicates/sets/index.ts';
import { listSetsAround } from '../../duplicates/sets/index.ts';
import { asUser, lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { lockStackMembers } from '../../stacks/members/index.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField, noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { type DateChange, dateChangeOf, unknownZone } from './date-change.ts';
import type { BulkUpdate } from './bulk.schemas.ts';
import * as store from './bulk.store.ts';
import { readMetadata } from '../jobs.ts';
import { setVisibility } from '../locked/lock.domain.ts';

/** All of them or none: one id that is not the caller's fails the request. */
export async function updateAssets(ctx: Ctx, { ids, ...change }: BulkUpdate): Promise<void> {
  const user = asUser(ctx.session);
  requireBoth(change);
  const dates = dateChangeOf(change);
  await requireZone(ctx, dates);
  const named = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    await lockAll({ ...ctx, session: sessionFor(user, change) }, named, change);
    await changeFields(ctx, named, change, dates);
    if (change.duplicateId !== undefined) await setDuplicateId(ctx, named, change.duplicateId);
    if (change.visibility) await setVisibility(ctx, named, change.visibility);
  });
}

type Change = Omit<BulkUpdate, 'ids'>;

/** As far as Immich's clients use it: what they name together without an id is looked through. */
async function setDuplicateId(
  { db, session }: Ctx,
  ids: readonly string[],
  duplicateId: string | null,
): Promise<void> {
  const reader = { db, session: asUser(session) };
  const named = new Set(ids);
  const sets = await listSetsAround(reader, ids);
  const touched = sets.filter(({ itemIds }) => itemIds.some((id) => named.has(id)));
  if (duplicateId !== null) {
    const wanted = touched.find(({ id }) => id === duplicateId.toLowerCase());
    if (ids.every((id) => wanted?.itemIds.includes(id))) return;
    throw invalidField(
      'duplicateId',
      'Sets of duplicates are found by the server: only null can be set',
    );
  }
  if (touched.some(({ itemIds }) => itemIds.some((id) => !named.has(id)))) {
    throw invalidField('duplicateId', 'Name all items of a set of duplicates to keep them');
  }
  for (const { id, itemIds } of touched) await saveKeepDecision(reader, id, itemIds);
}

function requireBoth({ latitude, longitude }: Change): void {
  if ((latitude === undefined) === (longitude === undefined)) return;
  const absent = latitude === undefined ? 'latitude' : 'longitude';
  throw invalidField(absent, 'Latitude and longitude need each other');
}

async function requireZone({ db }: Ctx, dates: DateChange | undefined): Promise<void> {
  const zone = dates?.kind === 'shift' ? dates.zone : undefined;
  if (!zone || zone.offsetMinutes !== undefined) return;
  if (!(await store.knowsZone(db, zone.name))) throw unknownZone();
}

/** Locking what is locked already is no error in any session, as long as nothing else is asked for. */
function sessionFor(user: UserSession, { visibility, ...others }: Change): UserSession {
  const isLocking = visibility === 'locked';
  return isLocking && Object.values(others).every((value) => value === undefined)
    ? { ...user, unlocked: true }
    : user;
}

/** A visibility moves whole stacks: their members are locked in one order with those that are named. */
async function lockAll(ctx: Ctx, ids: readonly string[], { visibility }: Change): Promise<void> {
  const { db, session } = ctx;
  const requireAll = (owned: ReadonlySet<string>) => {
    if (owned.size < ids.length) throw noAccess('asset.update');
  };
  if (visibility === undefined) return requireAll(await lockOwned(db, session, ids));
  requireAll(await ownedAmong(db, session, ids));
  await lockStackMembers(db, ids);
  requireAll(await ownedAmong(db, session, ids));
}

async function changeFields(
  { db, now }: Ctx,
  ids: readonly string[],
  change: Change,
  dates: DateChange | undefined,
): Promise<void> {
  const { isFavorite, description, rating, latitude, longitude } = change;
  const exif = {
    description,
    // Clients that cannot send null say 0 or -1.
    rating: rating !== undefined && rating !== null && rating < 1 ? null : rating,
    latitude,
    longitude,
    isDated: dates !== undefined,
    zone: zoneOf(dates),
  };
  const hasExif = Object.values(exif).some((value) => value !== undefined && value !== false);
  if (isFavorite === undefined && !hasExif) return;
  await store.updateAssets(db, ids, { isFavorite, dates, now: now() });
  if (dates && (await store.hasStrangeDates(db, ids))) {
    throw invalidField('dateTimeRelative', 'Leads out of the calendar');
  }
  await store.updateExif(db, ids, exif);
  if (latitude === undefined) return;
  await enqueueMany(
    db,
    readMetadata,
    ids.map((assetId) => ({ assetId })),
  );
}

const zoneOf = (dates: DateChange | undefined): string | undefined =>
  dates?.kind === 'fixed' ? dates.zone : dates?.kind === 'shift' ? dates.zone?.name : undefined;
