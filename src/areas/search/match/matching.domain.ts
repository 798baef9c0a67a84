import { filterOpenAlbums } from '../../../access/albums.ts';
import { getScopeKey } from '../../../access/batch.ts';
import { requireUser } from '../../../access/scope.ts';
import {
  type SharedLinkSession,
  type UserSession,
  elevationRequired,
} from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import type { Bytes } from '../../../core/json-bytes.ts';
import { readFromReplica } from '../../../db/replica.ts';
import { defineResponses } from '../../../read-cache/responses.ts';
import type { Filter, FilterBranch } from './filter.schemas.ts';
import type { Matching, SearchScope } from './matching.store.ts';
import type { FilterFields } from './filter-fields.schemas.ts';

export type MatchingOptions = {
  readonly onlyHidden?: boolean;
  /** Scope of a search without a visibility: 'library' where Immich includes the archive. */
  readonly scope?: 'timeline' | 'library';
};

/**
 * Returns the set of items that a search selects; undefined when nothing can match. Throws 401
 * without elevation for Locked items, 400 for albums out of reach.
 */
export async function toMatching(
  ctx: Ctx,
  search: FilterFields & { readonly withStacked?: boolean },
  { onlyHidden = false, scope: fallback = 'timeline' }: MatchingOptions = {},
): Promise<Matching | undefined> {
  const { session } = ctx;
  const filter = mergeFilters(search);
  const mentioned = listVisibilities(filter ?? {});
  const wantsLocked = search.visibility === 'locked' || mentioned.has('locked');
  if (wantsLocked && !(session.kind === 'user' && session.unlocked)) throw elevationRequired();
  if (session.kind === 'sharedLink') requireAlbumFilter(search);
  if (!filter || (session.kind === 'sharedLink' && !mayGuestFilterBy(session, filter)))
    return undefined;
  await requireAlbums(ctx, filter);
  const albums = session.kind === 'user' ? findSearchedAlbums(filter) : undefined;
  const shown = albums ? 'library' : fallback;
  const narrowed = {
    ...applyVisibility(search, getDefaultScope(search, shown), mentioned, filter),
    isUnstacked: search.withStacked === false || undefined,
  };
  const withTrashed = wantsTrashed(search, filter);
  if (session.kind === 'sharedLink') {
    const all = { owners: undefined, placeless: [], hidden: undefined } as const;
    return { ...narrowed, ...all, withTrashed };
  }
  if (onlyHidden && session.contentRules.length === 0) return undefined;
  if (albums) {
    const hidden = onlyHidden ? 'only' : hidesSome(session, []) ? 'out' : undefined;
    return { ...narrowed, withTrashed, owners: undefined, albums, placeless: [], hidden };
  }
  const sharers = listSharers(ctx, search);
  const owners = [session.userId, ...sharers];
  return {
    ...narrowed,
    withTrashed,
    owners,
    placeless: session.placelessSharers.filter((id) => sharers.includes(id)),
    hidden: onlyHidden ? 'only' : hidesSome(session, owners) ? 'out' : undefined,
  };
}

/** Whether the account does not see all on the Timelines of these accounts: stored counts are too high then. */
export const hidesSome = (
  { contentRules, partialSharers }: UserSession,
  owners: readonly string[],
): boolean => contentRules.length > 0 || partialSharers.some(({ id }) => owners.includes(id));

/** As in Immich: guests search an album they name, never all that a link reaches. */
function requireAlbumFilter({ albumIds, filter }: FilterFields): void {
  const named = [albumIds, filter?.albumIds?.all, filter?.albumIds?.any];
  if (named.some((ids) => ids && ids.length > 0)) return;
  throw badRequest('Shared link access is only allowed in combination with an albumIds filter');
}

const GUEST_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'takenAt',
  'albumIds',
  'isMotion',
]);

/** Guests who see no metadata may not filter by them. */
const mayGuestFilterBy = (link: SharedLinkSession, filter: Filter): boolean =>
  link.showMetadata ||
  listBranches(filter).every((branch) => Object.keys(branch).every((key) => GUEST_FIELDS.has(key)));

/** Partners share their Timelines only; other scopes are the caller's own. */
const listSharers = (ctx: Ctx, { visibility = 'timeline' }: FilterFields) =>
  visibility === 'timeline' ? requireUser(ctx.session).timelineSharers : [];

function listVisibilities(filter: Filter): Set<string> {
  const found = listBranches(filter).flatMap(({ visibility }) =>
    visibility
      ? [visibility.eq, visibility.ne, ...(visibility.in ?? []), ...(visibility.notIn ?? [])]
      : [],
  );
  return new Set(found.filter((value) => value !== undefined));
}

/** Returns the scope of a search without a visibility. */
const getDefaultScope = ({ withArchived }: FilterFields, fallback: SearchScope): SearchScope =>
  withArchived === undefined ? fallback : withArchived ? 'library' : 'timeline';

/** Visibilities named inside the filter are compared row by row ('mixed'). */
function applyVisibility(
  { visibility }: FilterFields,
  fallback: SearchScope,
  mentioned: ReadonlySet<string>,
  filter: Filter,
): { scope: SearchScope; filter: Filter } {
  if (visibility !== undefined) return { scope: visibility, filter };
  if (mentioned.size === 0) return { scope: fallback, filter };
  const unnamed = (['hidden', 'locked'] as const).filter((name) => !mentioned.has(name));
  const notIn = [...(filter.visibility?.notIn ?? []), ...unnamed];
  return { scope: 'mixed', filter: { ...filter, visibility: { ...filter.visibility, notIn } } };
}

const wantsTrashed = (search: FilterFields, filter: Filter) =>
  search.withDeleted === true ||
  listBranches(filter).some((branch) => branch.trashedAt !== undefined);

/** Returns the members of a search body as one filter; undefined when nothing can match. */
function mergeFilters(search: FilterFields): Filter | undefined {
  const { filter = {} } = search;
  const names = ['city', 'country', 'state', 'make', 'model', 'lensModel', 'rating'] as const;
  const flags = ['isDamaged', 'isEncoded', 'isFavorite', 'isMotion', 'isOffline'] as const;
  const isImpossible =
    search.encodedVideoPath !== undefined ||
    search.previewPath !== undefined ||
    search.thumbnailPath !== undefined;
  if (isImpossible) return undefined;

  const merged: Record<string, object> = {};
  const add = (name: keyof FilterBranch, comparison: object) => {
    merged[name] = { ...filter[name], ...merged[name], ...comparison };
  };
  for (const name of names) if (search[name] !== undefined) add(name, { eq: search[name] });
  for (const name of flags) if (search[name] !== undefined) add(name, { eq: search[name] });
  for (const name of ['taken', 'created', 'updated', 'trashed'] as const) {
    const [after, before] = [search[`${name}After`], search[`${name}Before`]];
    if (after !== undefined) add(`${name}At`, { gte: after });
    if (before !== undefined) add(`${name}At`, { lte: before });
  }
  for (const name of ['description', 'originalFileName', 'originalPath'] as const) {
    if (search[name] !== undefined) add(name, { like: search[name] });
  }
  if (search.id !== undefined) add('id', { eq: search.id });
  if (search.libraryId !== undefined) add('libraryId', { eq: search.libraryId });
  if (search.checksum !== undefined) add('checksum', { eq: search.checksum });
  if (search.type !== undefined) add('type', { eq: search.type });
  if (search.ocr) add('ocr', { matches: search.ocr });
  const inAlbums = search.albumIds && search.albumIds.length > 0;
  if (inAlbums) add('albumIds', { all: search.albumIds });
  else if (search.isNotInAlbum) add('hasAlbums', { eq: false });
  if (search.personIds && search.personIds.length > 0) add('personIds', { all: search.personIds });
  if (search.tagIds === null) add('hasTags', { eq: false });
  else if (search.tagIds && search.tagIds.length > 0) add('tagIds', { all: search.tagIds });
  return { ...filter, ...merged };
}

async function requireAlbums(ctx: Ctx, filter: Filter): Promise<void> {
  const ids = listAlbumIds(filter);
  if (ids.length === 0) return;
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const open = await filterOpenAlbums(ctx.db, ctx.session, [...wanted]);
  for (const id of wanted) if (!open.has(id)) throw noAccess('album.read');
}

/** Returns the conditions of a filter that hold together, and those of each alternative. */
const listBranches = ({ or = [], ...filter }: Filter): FilterBranch[] => [filter, ...or];

/**
 * Returns the albums in which everything is that a filter selects: those that it names, or each of its alternatives.
 * Undefined where it selects other items, too.
 */
function findSearchedAlbums({ or = [], ...filter }: Filter): string[] | undefined {
  const named = listWanted(filter);
  if (named.length > 0) return named;
  const branches = or.map(listWanted);
  const areAll = branches.length > 0 && branches.every((ids) => ids.length > 0);
  return areAll ? branches.flat() : undefined;
}

const listWanted = ({ albumIds: { all = [], any = [] } = {} }: FilterBranch): string[] => [
  ...all,
  ...any,
];

/** Returns the albums that a filter names, also to exclude them. */
const listAlbumIds = (filter: Filter): string[] =>
  listBranches(filter).flatMap(({ albumIds: { all = [], any = [], none = [] } = {} }) => [
    ...all,
    ...any,
    ...none,
  ]);

/**
 * Filters by what the change log of the owner of an item tells: its row, its metadata, tags and people; and by albums,
 * which have a log of their own.
 */
const COVERED: ReadonlySet<keyof Filter> = new Set([
  'albumIds',
  'checksum',
  'city',
  'country',
  'createdAt',
  'description',
  'fileSizeInBytes',
  'hasPeople',
  'hasTags',
  'id',
  'isBroken',
  'isDamaged',
  'isFavorite',
  'isMotion',
  'isOffline',
  'lensModel',
  'libraryId',
  'make',
  'model',
  'originalFileName',
  'personIds',
  'rating',
  'state',
  'tagIds',
  'takenAt',
  'takenOn',
  'trashedAt',
  'type',
  'updatedAt',
  'visibility',
]);

/** Returns the owners and albums whose change logs tell of everything that the set depends on; undefined where none do. */
function listLogScopes(matching: Matching): string[] | undefined {
  const { owners, hidden, words, labels, unlike, ids, petIds, enrichment, filter } = matching;
  const byContent = [words, labels, unlike, ids, petIds, enrichment];
  if (!owners || hidden || byContent.some((value) => value !== undefined)) return undefined;
  const isCovered = listBranches(filter).every((branch) =>
    Object.keys(branch).every((name) => COVERED.has(name as keyof Filter)),
  );
  return isCovered ? [...new Set([...owners, ...listAlbumIds(filter)])] : undefined;
}

const remember = defineResponses('searches');

/**
 * Returns the response of `build`, or its bytes again while nothing has changed of what the search selects. `key`: the
 * name of the response, and everything besides the matching that it depends on.
 */
export async function rememberSearch(
  ctx: Ctx,
  matching: Matching | undefined,
  key: readonly [name: string, ...unknown[]],
  build: () => Promise<Bytes>,
): Promise<Bytes> {
  const owners = matching && listLogScopes(matching);
  if (!owners) return build();
  return remember(ctx, { key: [getScopeKey(ctx.session), matching, ...key], owners }, build);
}

/** The same, of which a replica may be read. */
export const rememberReplicated = (
  ctx: Ctx,
  matching: Matching | undefined,
  key: readonly [name: string, ...unknown[]],
  build: (reader: Ctx) => Promise<Bytes>,
): Promise<Bytes> => rememberSearch(ctx, matching, key, () => readFromReplica(ctx, build));
