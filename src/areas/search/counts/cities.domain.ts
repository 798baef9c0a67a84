import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Bytes, toBytes, toJsonArray, toJsonBytes } from '../../../core/json-bytes.ts';
import { findBodies, listFacts, toAsset, toViewOptions } from '../../assets/index.ts';
import {
  type City,
  type CityPicture,
  countCities,
  type Example,
  listOnePerCity,
  filterStillValid,
} from './cities.store.ts';
import type { CityCount } from './counts.schemas.ts';
import { isWholeScope } from '../match/precomputed-counts.ts';
import { findNewest } from '../listings/listings.store.ts';
import type { Matching } from '../match/matching.store.ts';
import { hidesSome, rememberReplicated, toMatching } from '../match/matching.domain.ts';

/** Most cities, fewest items of a city, and most recent items that the page Explore shows. */
const EXPLORED = { cities: 12, least: 5, recent: 12 };

/** Returns one item of each city as JSON, sorted by name. */
export async function renderCities(ctx: Ctx): Promise<Bytes> {
  const matching = await toMatching(ctx, {});
  if (!matching) return toJsonBytes([]);
  return rememberReplicated(ctx, matching, ['cities'], async (reader) => {
    const cities = sortByName(await listCityCounts(reader, matching));
    const pictures = await listExamples(reader, matching, cities);
    return toBytes(toJsonArray(pictures.map(({ body }) => body)));
  });
}

/** Returns the number of items of each city as JSON. */
export async function renderCityCounts(ctx: Ctx): Promise<Bytes> {
  const matching = await toMatching(ctx, {});
  if (!matching) return toJsonBytes([]);
  return rememberReplicated(ctx, matching, ['city counts'], async (reader) => {
    const cities = sortByName(await listCityCounts(reader, matching));
    return toJsonBytes(
      cities.map(({ city, state, country, count }): CityCount => ({
        city,
        state,
        country,
        count,
      })),
    );
  });
}

/** Returns the caller's own cities with the most items, and the caller's newest items, as JSON. */
export async function renderExplore(ctx: Ctx): Promise<Bytes> {
  const matching = await toMatching(ctx, {});
  if (!matching) return toBytes(formatExplore([], []));
  const user = requireUser(ctx.session);
  const owners = [user.userId];
  const own = {
    ...matching,
    owners,
    hidden: hidesSome(user, owners) ? ('out' as const) : undefined,
  };
  return rememberReplicated(ctx, own, ['explore'], async (reader) => {
    const largest = (await listCityCounts(reader, own))
      .filter(({ count }) => count >= EXPLORED.least)
      .toSorted((a, b) => b.count - a.count || compareNames(a, b))
      .slice(0, EXPLORED.cities);
    const pictures = await listExamples(reader, own, largest);
    const options = toViewOptions(reader.session, true);
    const newest = (await findNewest(reader, own, EXPLORED.recent)).map((row) => {
      const asset = toAsset(row, options);
      return { value: asset.createdAt, body: JSON.stringify(asset) };
    });
    return toBytes(formatExplore(pictures, newest));
  });
}

/** A picture as JSON, and what it stands for. */
type Picture = { readonly value: string; readonly body: string };

function formatExplore(ofCities: readonly Picture[], recent: readonly Picture[]): string {
  const format = (fieldName: string, pictures: readonly Picture[]) => {
    const items = pictures.map(
      ({ value, body }) => `{"value":${JSON.stringify(value)},"data":${body}}`,
    );
    return `{"fieldName":"${fieldName}","items":${toJsonArray(items)}}`;
  };
  return toJsonArray([format('exifInfo.city', ofCities), format('createdAt', recent)]);
}

type CountedCity = City & { readonly count: number; readonly examples: readonly Example[] };

async function listCityCounts(ctx: Ctx, matching: Matching): Promise<CountedCity[]> {
  if (!isWholeScope(matching)) {
    return (await countCities(ctx, matching)).map((city) => ({ ...city, examples: [] }));
  }
  const owners = matching.owners.filter((owner) => !matching.placeless.includes(owner));
  const cities = new Map<string, CountedCity>();
  for (const { parts, count, example, ownerId } of await listFacts(ctx, owners, ['place'])) {
    const [country, state, city] = parts;
    if (city === null) continue;
    const key = toKey({ city, state, country });
    const before = cities.get(key) ?? { city, state, country, count: 0, examples: [] };
    const examples = example
      ? [...before.examples, { city, state, country, ownerId, assetId: example }]
      : before.examples;
    cities.set(key, { ...before, count: before.count + count, examples });
  }
  return [...cities.values()];
}

const toKey = ({ city, state, country }: City) => JSON.stringify([city, state, country]);

/** Returns an item of each city in the given order: its stored example, or another if that is gone. */
async function listExamples(
  ctx: Ctx,
  matching: Matching,
  cities: readonly CountedCity[],
): Promise<Picture[]> {
  const found = new Map<string, CityPicture>();
  const keep = (rows: readonly CityPicture[]) => {
    for (const row of rows) found.set(toKey(row), row);
  };
  const examples = cities.flatMap((city) => city.examples.slice(0, 1));
  if (examples.length > 0) keep(await filterStillValid(ctx, matching, examples));
  const missing = cities.filter((city) => !found.has(toKey(city)));
  keep(await listOnePerCity(ctx, matching, missing));
  const pictures = cities.flatMap((city) => found.get(toKey(city)) ?? []);
  const names = pictures.map(({ name }) => name);
  const bodies = await findBodies(ctx, names, toViewOptions(ctx.session, true));
  return pictures.flatMap(({ city }, at) => {
    const body = bodies[at];
    return body === undefined ? [] : [{ value: city, body }];
  });
}

const compareNames = (a: City, b: City) =>
  a.city.localeCompare(b.city) ||
  (a.state ?? '').localeCompare(b.state ?? '') ||
  (a.country ?? '').localeCompare(b.country ?? '');
const sortByName = (cities: readonly CountedCity[]) => cities.toSorted(compareNames);
