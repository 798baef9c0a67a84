import { requireOpenAlbum } from '../../access/albums.ts';
import { visibleAmong, requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { type Bytes, toJsonBytes } from '../../core/json-bytes.ts';
import { defineResponses } from '../../read-cache/responses.ts';
import type { PersonRow } from '../../db/tables/people.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { enqueue } from '../../jobs/queue.ts';
import { removeFiles } from '../trash/index.ts';
import { renderPerson } from '../assets/index.ts';
import type {
  AssetNames,
  People,
  PeopleFilter,
  PeopleUpdate,
  Person,
  PersonCreate,
  PersonUpdate,
} from './schemas.ts';
import { rankBySimilarity } from './clustering/similarity.domain.ts';
import type { Relation } from './relations.ts';
import { findRelation, listOwnRelations, saveRelation } from './relations.store.ts';
import { listInAlbum } from './in-album.store.ts';
import { listNames } from './names.store.ts';
import * as store from './store.ts';
import { toPerson } from './face-box.ts';

const DEFAULT_SIZE = 500;
const MAX_IN_ALBUM = 100;

const remember = defineResponses('people', store.MINIMUM_FACES);
const rememberStatistics = defineResponses('person statistics');

const isRankedBy = ({ closestPersonId, closestAssetId }: PeopleFilter): boolean =>
  closestPersonId !== undefined || closestAssetId !== undefined;

/** Returns the people on what an album shows, at most 100. Throws 400 without access to the album. */
export async function listPeopleInAlbum(ctx: Ctx, id: string): Promise<Person[]> {
  const albumId = await requireOpenAlbum(ctx, id);
  return (await listInAlbum(toReader(ctx), albumId, MAX_IN_ALBUM)).map(toPerson);
}

/** Returns the names of the caller's people on these items of the caller; others are left out. */
export const listNamesOnAssets = (ctx: Ctx, assetIds: readonly string[]): Promise<AssetNames[]> =>
  listNames(toReader(ctx), assetIds);

/** Returns `People` as JSON. */
export async function renderPeople(ctx: Ctx, filter: PeopleFilter): Promise<Bytes> {
  const { userId, contentRules } = requireUser(ctx.session);
  const build = async () => toJsonBytes(await listPeople(ctx, filter));
  // Rankings depend on embeddings, and rules on more than the log tells.
  if (isRankedBy(filter) || contentRules.length > 0) return build();
  const { page = 1, size = DEFAULT_SIZE, withHidden = false } = filter;
  return remember(ctx, { key: [page, size, withHidden], owners: [userId] }, build);
}

async function listPeople(ctx: Ctx, filter: PeopleFilter): Promise<People> {
  const { page = 1, size = DEFAULT_SIZE, withHidden = false } = filter;
  const options = { withHidden };
  const offset = (page - 1) * size;
  const isRanked = isRankedBy(filter);
  if (isRanked) await requireClosest(ctx, filter);
  else if (filter.likelyOnly) throw invalidField('likelyOnly', 'Needs a person or an asset');
  const { people, total, hidden, listed } = await store.listPeople(toReader(ctx), {
    ...options,
    limit: isRanked ? 0 : size,
    offset: isRanked ? 0 : offset,
  });
  const ranked = isRanked ? await rankByCloseness(ctx, filter, options) : undefined;
  const found = ranked?.slice(offset, offset + size) ?? people;
  const hasNextPage = offset + size < (ranked?.length ?? listed);
  return { total, hidden, hasNextPage, people: found.map(toPerson) };
}

const rankByCloseness = async (ctx: Ctx, filter: PeopleFilter, options: store.ListOptions) =>
  rankBySimilarity(
    ctx,
    await store.listAllVisible(toReader(ctx), { ...options, isEnough: true }),
    filter,
  );

const toReader = ({ db, session }: Ctx): store.Reader => ({ db, session: requireUser(session) });

/** Returns all visible people, in no order. */
export const listAllVisible = (
  ctx: Ctx,
  options: store.ListOptions,
): Promise<store.ListedPerson[]> => store.listAllVisible(toReader(ctx), options);

async function requireClosest(
  ctx: Ctx,
  { closestPersonId, closestAssetId }: PeopleFilter,
): Promise<void> {
  if (closestPersonId) await getOwnPerson(ctx, closestPersonId, 'person.read');
  if (closestAssetId) {
    const seen = await visibleAmong(ctx.db, ctx.session, [closestAssetId]);
    if (seen.size === 0) throw noAccess('asset.read');
  }
}

/** Returns the caller's people with a name, or a word of it, that begins with `name`. */
export async function findPeopleByName(
  ctx: Ctx,
  name: string,
  withHidden: boolean,
): Promise<Person[]> {
  const rows = await store.findPeopleByName(toReader(ctx), name, { withHidden });
  return rows.map(toPerson);
}

/** Returns all named people that are not hidden. */
export async function listNamedPeople(ctx: Ctx): Promise<Person[]> {
  const rows = await store.listAllVisible(toReader(ctx), { withHidden: false, isNamed: true });
  return rows.map(toPerson);
}

/** Returns what people are to the caller, by person. */
export const listRelations = (ctx: Ctx): Promise<ReadonlyMap<string, Relation>> =>
  listOwnRelations(ctx.db, requireUser(ctx.session).userId);

export const getPerson = async (ctx: Ctx, id: string): Promise<Person> =>
  toPerson(await getOwnPerson(ctx, id, 'person.read'));

/** Returns the number of Timeline items of a person as JSON. */
export async function renderPersonStatistics(ctx: Ctx, id: string): Promise<Bytes> {
  const person = await getOwnPerson(ctx, id, 'person.statistics');
  const { userId, contentRules } = requireUser(ctx.session);
  const build = async () =>
    toJsonBytes({ assets: await store.countAssets(toReader(ctx), person.id) });
  return contentRules.length > 0
    ? build()
    : rememberStatistics(ctx, { key: [person.id], owners: [userId] }, build);
}

export async function getRelation(
  ctx: Ctx,
  id: string,
): Promise<{ readonly relation: Relation | null }> {
  const person = await getOwnPerson(ctx, id, 'person.read');
  return { relation: await findRelation(ctx.db, person.id) };
}

export const setRelation = (ctx: Ctx, id: string, relation: Relation | null) =>
  inTransaction(ctx, async (ctx) => {
    const locked = await store.lockPeople(ctx.db, requireUser(ctx.session), [id]);
    const person = locked.get(id.toLowerCase());
    if (!person) throw noAccess('person.update');
    await saveRelation(ctx.db, person.id, relation);
    return { relation };
  });

export async function createPerson(ctx: Ctx, input: PersonCreate): Promise<Person> {
  const ownerId = requireUser(ctx.session).userId;
  requireBorn(ctx, input);
  const values = { ...toPersonChange(input), isManual: true };
  const row = await keepLimit(ctx, 'person', { ownerId }, ({ db }) =>
    store.insertPerson(db, ownerId, values),
  );
  return toPerson(row);
}

export async function updatePerson(ctx: Ctx, id: string, input: PersonUpdate): Promise<Person> {
  requireBorn(ctx, input);
  return inTransaction(ctx, async (ctx) => {
    const locked = await store.lockPeople(ctx.db, requireUser(ctx.session), [id]);
    const person = locked.get(id.toLowerCase());
    if (!person) throw noAccess('person.update');
    return toPerson(await applyUpdate(ctx, person, input));
  });
}

/** Gives an own person a name, unless it has one by now, was merged, or is gone. */
export const nameUnnamedPerson = (ctx: Ctx, id: string, name: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await store.lockPeople(ctx.db, requireUser(ctx.session), [id]);
    const person = locked.get(id);
    if (person?.name !== '' || person.mergedInto !== null) return;
    await store.updatePerson(ctx.db, id, toPersonChange({ name }), ctx.now());
  });

/** Returns one result per item, in order; a failure does not stop the rest. */
export async function updatePeople(ctx: Ctx, { people }: PeopleUpdate): Promise<BulkIdResult[]> {
  requireUser(ctx.session);
  for (const [at, input] of people.entries()) requireBorn(ctx, input, `people.${at}.birthDate`);
  const results: BulkIdResult[] = [];
  for (const { id, ...input } of people) {
    try {
      await updatePerson(ctx, id, input);
      results.push({ id, success: true });
    } catch (error) {
      results.push({ id, success: false, ...toBulkError(error) });
    }
  }
  return results;
}

function toBulkError(error: unknown): Pick<BulkIdResult, 'error' | 'errorMessage'> {
  const { status, message } = error as { status?: number; message: string };
  if (status !== 400) throw error;
  const isMissing = message.startsWith('Not found');
  return { error: isMissing ? 'not_found' : 'validation', errorMessage: message };
}

async function applyUpdate(ctx: Ctx, person: PersonRow, input: PersonUpdate): Promise<PersonRow> {
  const change: store.PersonChange = toPersonChange(input);
  if (input.featureFaceAssetId) {
    const faceId = await store.findShownFace(ctx.db, person.id, input.featureFaceAssetId);
    if (!faceId) throw badRequest('Invalid assetId for feature face');
    change.coverFaceId = faceId;
  }
  const row = await store.updatePerson(ctx.db, person.id, change, ctx.now());
  if (change.coverFaceId) await enqueue(ctx.db, renderPerson, { personId: person.id });
  return row;
}

/** Throws 400 for a birth date in the future. */
function requireBorn({ now }: Ctx, { birthDate }: PersonCreate, path = 'birthDate'): void {
  // UTC+14 is the first zone to reach a date.
  const latest = new Date(now().getTime() + 14 * 3_600_000).toISOString().slice(0, 10);
  if (birthDate && birthDate > latest)
    throw invalidField(path, 'Birth date cannot be in the future');
}

function toPersonChange(input: PersonCreate): store.NewPerson {
  const { birthDate, color, isFavorite, isHidden, name } = input;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(birthDate !== undefined && { birthDate }),
    ...(color !== undefined && { color: color && (color.startsWith('#') ? color : `#${color}`) }),
    ...(isFavorite !== undefined && { isFavorite }),
    ...(isHidden !== undefined && { isHidden }),
  };
}

export const deletePerson = (ctx: Ctx, id: string): Promise<void> => deletePeople(ctx, [id]);

/**
 * Deletes all of them or none; their faces stay without a person. Throws 400 `noAccess` for an
 * unknown id.
 */
export async function deletePeople(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const session = requireUser(ctx.session);
  if (ids.length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    const found = await store.lockPeople(ctx.db, session, ids);
    if (ids.some((id) => !found.has(id.toLowerCase()))) throw noAccess('person.delete');
    await store.deletePeople(ctx.db, [...found.keys()], ctx.now());
    // A database trigger has recorded their thumbnails for removal.
    await enqueue(ctx.db, removeFiles, {});
  });
}

export async function getOwnPerson(ctx: Ctx, id: string, permission: string): Promise<PersonRow> {
  const row = await store.findPerson(ctx.db, requireUser(ctx.session), id);
  if (!row) throw noAccess(permission);
  return row;
}
