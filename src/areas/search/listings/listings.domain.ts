import { randomBytes } from 'node:crypto';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { getCapabilities, STORED_TASKS } from '../../../inference/index.ts';
import { elevationRequired } from '../../../access/session.ts';
import { listBodies } from '../domain.ts';
import { listFacts } from '../../assets/index.ts';
import type {
  LargeAssetsQuery,
  RandomSearch,
  SuggestionsQuery,
  FoundPlace,
} from './listings.schemas.ts';
import {
  countOwned,
  findLargest,
  findRandom,
  findRandomRuns,
  type Stretch,
} from './listings.store.ts';
import type { Matching } from '../match/matching.store.ts';
import { filterConfirmedPets } from '../match/people.store.ts';
import { toMatching } from '../match/matching.domain.ts';
import type { FilterFields } from '../match/filter-fields.schemas.ts';
import { countValues } from '../counts/values.store.ts';
import { createPlaceFinder, type PlaceFinder } from '../../../media/place-finder.ts';
import { fold } from '../../../core/fold-text.ts';

const DEFAULT_SIZE = 250;

/**
 * Returns the JSON texts of the largest files first. With `suppressedOnly`, those that the caller's content rules
 * exclude.
 */
export async function listLargeAssets(ctx: Ctx, query: LargeAssetsQuery): Promise<string[]> {
  const { size = DEFAULT_SIZE, minFileSize = 0, suppressedOnly, petIds } = query;
  if (suppressedOnly && !requireUser(ctx.session).unlocked) throw elevationRequired();
  await requirePets(ctx, petIds);
  const matching = await toMatching(ctx, toFilterFields(query), {
    onlyHidden: suppressedOnly === true,
  });
  if (!matching) return [];
  const narrowed = {
    ...matching,
    ...(petIds && { petIds }),
    enrichment: toEnrichmentFilter(ctx, query),
  };
  // Always with it, as Immich: clients show the size of the file.
  const withExif = true;
  const names = await findLargest(ctx, narrowed, { least: minFileSize, limit: size, withExif });
  return listBodies(ctx, { ...matching, withExif }, names);
}

/** Throws 400 unless all are confirmed pets of the caller. */
async function requirePets(ctx: Ctx, petIds: readonly string[] = []): Promise<void> {
  if (petIds.length === 0) return;
  const known = await filterConfirmedPets(ctx.db, requireUser(ctx.session).userId, petIds);
  if (petIds.some((id) => !known.has(id.toLowerCase()))) throw noAccess('pet.read');
}

function toEnrichmentFilter(ctx: Ctx, { imageEnrichment: state }: LargeAssetsQuery) {
  if (!state) return undefined;
  const installed = getCapabilities(ctx.settings);
  return { state, tasks: STORED_TASKS.filter((task) => installed[task] !== undefined) };
}

const meansNull = (value: string): boolean => value === '' || value === 'null';
const orNull = (value: string) => (meansNull(value) ? null : value);

/** Query parameters cannot be null: the empty text and 'null' stand for it. */
function toFilterFields(query: LargeAssetsQuery): FilterFields {
  const { rating, libraryId, tagIds, albumIds, personIds } = query;
  const fields: FilterFields = {};
  for (const name of ['city', 'country', 'state', 'make', 'model', 'lensModel'] as const) {
    if (query[name] !== undefined) fields[name] = orNull(query[name]);
  }
  for (const name of COPIED_FIELDS) {
    if (query[name] !== undefined) Object.assign(fields, { [name]: query[name] });
  }
  if (rating !== undefined) fields.rating = rating;
  if (libraryId !== undefined) fields.libraryId = orNull(libraryId);
  if (tagIds !== undefined) fields.tagIds = tagIds.some(meansNull) ? null : tagIds;
  if (albumIds) fields.albumIds = albumIds;
  if (personIds) fields.personIds = personIds;
  return fields;
}

const COPIED_FIELDS = [
  'createdAfter',
  'createdBefore',
  'isEncoded',
  'isFavorite',
  'isMotion',
  'isNotInAlbum',
  'isOffline',
  'ocr',
  'takenAfter',
  'takenBefore',
  'trashedAfter',
  'trashedBefore',
  'type',
  'updatedAfter',
  'updatedBefore',
  'visibility',
  'withDeleted',
] as const satisfies readonly (keyof LargeAssetsQuery & keyof FilterFields)[];

/** Returns JSON texts. */
export async function searchRandom(ctx: Ctx, search: RandomSearch): Promise<string[]> {
  const { size: limit = DEFAULT_SIZE, withExif = false } = search;
  const matching = await toMatching(ctx, search, { scope: 'library' });
  if (!matching) return [];
  const listing = { limit, withExif };
  let names = await sampleNames(ctx, matching, listing);
  // A small library, or a filter that few items match.
  if (names.length < limit) names = await findRandom(ctx, matching, listing);
  return listBodies(ctx, { ...matching, withExif }, names, search);
}

/**
 * Looks at a few thousand random items, of which most filters let a page pass. Of 1,000,000 assets, all that match take 240 ms
 * without a filter and 550 by camera; so 4 and 8.
 */
async function sampleNames(
  ctx: Ctx,
  matching: Matching,
  listing: { readonly limit: number; readonly withExif: boolean },
): Promise<readonly string[]> {
  if (!matching.owners || !SAMPLED_SCOPES.has(matching.scope)) return [];
  const owned = await countOwned(ctx, matching.owners);
  const runs = Math.min(listing.limit, MAX_RUNS);
  const scanned = listing.limit * SCANNED_PER_ITEM;
  if (owned < scanned * FEWEST) return [];
  const length = (CHECKSUMS * BigInt(Math.ceil(scanned / runs))) / BigInt(owned);
  const stretches = Array.from({ length: runs }, () => drawStretch(length));
  return findRandomRuns(ctx, matching, { ...listing, stretches });
}

/** Scopes large enough for sampling by random ranges. */
const SAMPLED_SCOPES: ReadonlySet<string> = new Set(['timeline', 'library']);
const MAX_RUNS = 16;
/** Items that are looked at for each that is wanted: a filter that lets one in 50 pass fills the page. */
const SCANNED_PER_ITEM = 100;
/** A library of fewer times as many items is read whole. */
const FEWEST = 2;
const SHA1_BYTES = 20;
const CHECKSUMS = 1n << BigInt(8 * SHA1_BYTES);

/** Returns a random range of so many checksums, which ends at the greatest at the latest. */
function drawStretch(length: bigint): Stretch {
  const toHex = (checksum: bigint) => checksum.toString(16).padStart(2 * SHA1_BYTES, '0');
  const first = BigInt(`0x${randomBytes(SHA1_BYTES).toString('hex')}`);
  const last = first + length;
  return { first: toHex(first), last: toHex(last < CHECKSUMS ? last : CHECKSUMS - 1n) };
}

const SUGGESTION_SOURCES = {
  country: ['place', 0, 'country'],
  state: ['place', 1, 'state'],
  city: ['place', 2, 'city'],
  'camera-make': ['camera', 0, 'make'],
  'camera-model': ['camera', 1, 'model'],
  'camera-lens-model': ['camera', 2, 'lens_model'],
} as const;

/** Returns the existing values in alphabetical order, and null last if requested. */
export async function suggest(ctx: Ctx, query: SuggestionsQuery): Promise<(string | null)[]> {
  const matching = await toMatching(ctx, {});
  if (!matching) return [];
  const values = matching.hidden
    ? await countSuggestions(ctx, query)
    : await listStoredSuggestions(ctx, query, matching);
  const sorted: (string | null)[] = [...values].sort(compareWords);
  if (query.includeNull) sorted.push(null);
  return sorted;
}

const collator = new Intl.Collator('en', { ignorePunctuation: true });
/** As the collations of Immich's databases: punctuation counts only between words that are the same without it. */
const compareWords = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : 1);

async function listStoredSuggestions(
  ctx: Ctx,
  { country, state, make, model, lensModel, type }: SuggestionsQuery,
  matching: Matching,
): Promise<Set<string>> {
  const [kind, part] = SUGGESTION_SOURCES[type];
  const wanted = kind === 'place' ? [country, state] : [make, model, lensModel];
  const owners =
    kind === 'place'
      ? (matching.owners ?? []).filter((owner) => !matching.placeless.includes(owner))
      : (matching.owners ?? []);
  const facts = await listFacts(ctx, owners, [kind]);
  const values = new Set<string>();
  for (const { parts } of facts) {
    const fits = wanted.every((value, at) => !value || parts[at] === value);
    const value = parts[part];
    if (fits && value) values.add(value);
  }
  return values;
}

/** Counts values directly, because active content rules exclude some items. */
async function countSuggestions(ctx: Ctx, query: SuggestionsQuery): Promise<Set<string>> {
  const [kind, , column] = SUGGESTION_SOURCES[query.type];
  const { country, state, make, model, lensModel } = query;
  const given = Object.entries(kind === 'place' ? { country, state } : { make, model, lensModel });
  const matching = await toMatching(
    ctx,
    Object.fromEntries(given.filter(([, value]) => value)) as FilterFields,
  );
  if (!matching) return new Set();
  const { values } = await countValues(ctx, matching, {
    columns: [column],
    tags: false,
    people: false,
    viewerId: requireUser(ctx.session).userId,
  });
  return new Set((values.get(column) ?? []).flatMap(({ value }) => value || []));
}

const MAX_PLACES = 20;

let finder: Promise<PlaceFinder> | undefined;

/** Returns towns of the world by name, from the embedded GeoNames table; no network. */
export async function findPlaces(name: string): Promise<FoundPlace[]> {
  finder ??= createPlaceFinder(fold);
  return (await finder).find(name, MAX_PLACES).map(({ state, ...place }) => ({
    ...place,
    ...(state !== undefined && { admin1name: state }),
  }));
}
