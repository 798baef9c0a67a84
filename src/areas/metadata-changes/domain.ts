import { lockOwned, ownedAmong, requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, conflict, invalidField, noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findPlaces } from '../map/index.ts';
import { readRecentConfig } from '../system-config/index.ts';
import { type ResolvedDateChange, validateDateChange } from './dates.ts';
import { computeValues, type Place, type ResolvedChange, toColumns, toShown } from './compute.ts';
import type {
  ChangeResponse,
  MetadataChange,
  PlaceChange,
  Preview,
  UndoResponse,
} from './schemas.ts';
import * as store from './store.ts';
import * as values from './values.store.ts';

const EXAMPLES = 3;

/**
 * Changes the metadata of all assets or of none, and remembers what it replaces. Throws 400 unless all are the
 * caller's own, and for values that cannot be.
 */
export async function createChange(ctx: Ctx, request: MetadataChange): Promise<ChangeResponse> {
  const chosen = toChosen(request);
  const change = await resolveChange(ctx, request);
  return inTransaction(ctx, async (ctx) => {
    const { ids } = await expand(ctx, chosen, request);
    const isChosen = new Set(chosen);
    return saveChange(ctx, ids, isChosen, toCompute(change, isChosen), getFields(change));
  });
}

type Compute = (item: values.Values, now: Date) => values.Values;

/** Ratings and descriptions are only those of chosen items. */
function toCompute(change: ResolvedChange, isChosen: ReadonlySet<string>): Compute {
  const ofParts = { date: change.date, place: change.place };
  return (item, now) => computeValues(item, isChosen.has(item.id) ? change : ofParts, now);
}

/** Locks the assets, and saves what they have and what they get. Throws 400 unless all are the caller's own. */
async function saveChange(
  { db, session, now: getNow }: Ctx,
  ids: readonly string[],
  isChosen: ReadonlySet<string>,
  compute: Compute,
  fields: readonly values.Field[],
): Promise<ChangeResponse> {
  if ((await lockOwned(db, session, ids)).size < ids.length) throw noAccess('asset.update');
  const now = getNow();
  const changed = listChanged(await values.listValues(db, ids), compute, now);
  const id = await store.insertChange(db, requireUser(session).userId, fields, now);
  const changedIds = changed.map(({ before }) => before.id);
  await values.saveFormer(db, id, fields, changedIds);
  const items = changed.map(({ after }) => ({ id: after.id, value: toColumns(after, fields) }));
  await values.applyNew(db, fields, items, now);
  return { id, changed: changedIds.filter((assetId) => isChosen.has(assetId)).length };
}

/** Changes each asset in its own way, as one change. Throws 400 unless all are the caller's own. */
export async function changeEach(
  ctx: Ctx,
  fields: readonly values.Field[],
  changes: ReadonlyMap<string, ResolvedChange>,
): Promise<ChangeResponse> {
  const chosen = [...changes.keys()];
  return inTransaction(ctx, async (ctx) => {
    const videos = await store.listLiveVideos(ctx.db, chosen);
    const stills = new Map(videos.map(({ id, stillId }) => [id, stillId]));
    const ids = [...new Set([...chosen, ...stills.keys()])];
    const compute: Compute = (item, now) => {
      const change = changes.get(item.id) ?? changes.get(stills.get(item.id) ?? '');
      return change ? computeValues(item, change, now) : item;
    };
    return saveChange(ctx, ids, new Set(chosen), compute, fields);
  });
}

/** Returns what createChange would do, with a few examples. Throws as it does. */
export async function previewChange(ctx: Ctx, request: MetadataChange): Promise<Preview> {
  const chosen = toChosen(request);
  const { db, session } = ctx;
  if ((await ownedAmong(db, session, chosen)).size < chosen.length) throw noAccess('asset.update');
  const change = await resolveChange(ctx, request);
  const { ids, stacked } = await expand(ctx, chosen, request);
  const before = await values.listValues(db, ids);
  const isChosen = new Set(chosen);
  const changed = listChanged(before, toCompute(change, isChosen), ctx.now());
  return {
    changed: changed.length,
    parts: ids.length - chosen.length,
    stacked,
    examples: changed
      .filter(({ before: { id } }) => isChosen.has(id))
      .slice(0, EXAMPLES)
      .map(({ before, after }) => ({
        assetId: before.id,
        originalFileName: before.fileName,
        before: toShown(before),
        after: toShown(after),
      })),
  };
}

/**
 * Restores what a change replaced, except of assets that have changed since. Throws 404 for what is not the
 * caller's, and 409 when it is undone already.
 */
export async function undoChange(ctx: Ctx, id: string): Promise<UndoResponse> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async ({ db, session, now }) => {
    const change = await store.lockChange(db, userId, id);
    if (!change) throw changeNotFound();
    if (change.isUndone) throw conflict('The change is undone already', { code: 'invalid_state' });
    const ids = await store.listItems(db, id);
    const locked = await lockOwned(db, session, ids);
    const unchanged = await store.listUnchanged(db, id, [...locked]);
    const fields = values.FIELDS.filter((field) => change.fields.includes(field));
    await values.applyFormer(db, fields, id, unchanged, now());
    await store.markUndone(db, id, now());
    return { restored: unchanged.length, kept: ids.length - unchanged.length };
  });
}

const changeNotFound = () =>
  new AppError('notFound', 'Metadata change not found', { detail: { code: 'not_found' } });

const toChosen = ({ assetIds }: MetadataChange): string[] => [
  ...new Set(assetIds.map((id) => id.toLowerCase())),
];

/** Returns the chosen items with what goes with them: dates and places are those of a live photo as a whole. */
async function expand(
  { db }: Ctx,
  chosen: readonly string[],
  { date, place, withStacks = false }: MetadataChange,
): Promise<{ ids: string[]; stacked: number }> {
  if (!date && !place) return { ids: [...chosen], stacked: 0 };
  const mates = await store.listStackMates(db, chosen);
  const ids = [...new Set([...chosen, ...(withStacks ? mates : [])])];
  return {
    ids: [...new Set([...ids, ...(await store.listLiveVideos(db, ids)).map(({ id }) => id)])],
    stacked: mates.length,
  };
}

type Computed = { readonly before: values.Values; readonly after: values.Values };

/** Returns those that the change makes different. */
const listChanged = (before: readonly values.Values[], compute: Compute, now: Date): Computed[] =>
  before.flatMap((item) => {
    const after = compute(item, now);
    return after === item ? [] : [{ before: item, after }];
  });

const getFields = (change: ResolvedChange): values.Field[] =>
  values.FIELDS.filter((field) => change[field] !== undefined);

/** Reads what is copied and the name of the place. Throws 400 for values that cannot be, and for no change. */
async function resolveChange(ctx: Ctx, request: MetadataChange): Promise<ResolvedChange> {
  const { date, place, rating, description } = request;
  const change = {
    ...(date && { date: validateDateChange(await resolveDate(ctx, date)) }),
    ...(place && { place: await resolvePlace(ctx, place) }),
    // 0 is no rating.
    ...(rating !== undefined && { rating: rating || null }),
    ...(description !== undefined && { description }),
  };
  if (getFields(change).length === 0) throw invalidField('date', 'Nothing is to be changed');
  return change;
}

async function resolveDate(
  ctx: Ctx,
  date: NonNullable<MetadataChange['date']>,
): Promise<ResolvedDateChange> {
  if (date.kind !== 'copy') return date;
  const { takenAt, local, timeZone } = await getSource(ctx, date.assetId);
  return { kind: 'copy', takenAt, local, timeZone };
}

async function resolvePlace(ctx: Ctx, place: PlaceChange): Promise<Place> {
  if (place.kind === 'remove') return NOWHERE;
  if (place.kind === 'copy') {
    const source = await getSource(ctx, place.assetId);
    if (source.latitude === null) throw invalidField('place.assetId', 'Has no place');
    const { latitude, longitude, city, state, country } = source;
    return { latitude, longitude, city, state, country };
  }
  const { latitude, longitude } = place;
  const { reverseGeocoding } = await readRecentConfig(ctx.db);
  const [named] = reverseGeocoding.enabled ? await findPlaces(latitude, longitude) : [];
  return { ...NOWHERE, ...named, latitude, longitude };
}

const NOWHERE: Place = { latitude: null, longitude: null, city: null, state: null, country: null };

/** Throws 400 for what the caller does not see, also where its place is withheld: a zone tells of it. */
async function getSource(ctx: Ctx, id: string): Promise<values.Values> {
  const source = await values.findSource(ctx.db, ctx.session, id.toLowerCase());
  if (!source) throw noAccess('asset.read');
  return source;
}
