import type { Ctx } from '../../../core/context.ts';
import { type Asset, type AssetView, toAsset, toViewOptions } from '../../assets/index.ts';
import { type City, countCities, type Example, oneOfEach, stillThere } from './cities.store.ts';
import type { CityCount } from './counts.schemas.ts';
import { listFacts } from '../../assets/index.ts';
import { isShelfOnly } from './precomputed-counts.ts';
import { findNewest } from '../listings/listings.store.ts';
import type { Matching } from '../match/matching.store.ts';
import { toMatching } from '../match/matching.domain.ts';

/** As a page of explored cities has: the largest, none of a handful of pictures. */
const EXPLORED = { cities: 12, least: 5, recent: 12 };

/** One item of each city, in the order of their names. */
export async function listCities(ctx: Ctx): Promise<Asset[]> {
  const matching = await toMatching(ctx, {});
  return matching ? picturesOf(ctx, matching, byName(await citiesOf(ctx, matching))) : [];
}

export async function countByCity(ctx: Ctx): Promise<CityCount[]> {
  const matching = await toMatching(ctx, {});
  if (!matching) return [];
  return byName(await citiesOf(ctx, matching)).map(({ city, state, country, count }) => ({
    city,
    state,
    country,
    count,
  }));
}

/** The caller's own: the cities with the most items, and the pictures that came last. */
export async function explore(ctx: Ctx) {
  const matching = await toMatching(ctx, {});
  const own = matching && { ...matching, owners: matching.owners?.slice(0, 1) };
  const cities = own ? await citiesOf(ctx, own) : [];
  const largest = cities
    .filter(({ count }) => count >= EXPLORED.least)
    .toSorted((a, b) => b.count - a.count || compareNames(a, b))
    .slice(0, EXPLORED.cities);
  const pictures = own ? await picturesOf(ctx, own, largest) : [];
  const recent = own ? await findNewest(ctx, own, EXPLORED.recent) : [];
  const options = toViewOptions(ctx.session, true);
  return [
    {
      fieldName: 'exifInfo.city',
      items: pictures.map((data) => ({ value: data.exifInfo?.city ?? '', data })),
    },
    {
      fieldName: 'createdAt',
      items: recent.map((row) => {
        const data = toAsset(row, options);
        return { value: data.createdAt, data };
      }),
    },
  ];
}

type CountedCity = City & { readonly count: number; readonly examples: readonly Example[] };

async function citiesOf(ctx: Ctx, matching: Matching): Promise<CountedCity[]> {
  if (!isShelfOnly(matching)) {
    return (await countCities(ctx, matching)).map((city) => ({ ...city, examples: [] }));
  }
  const owners = matching.owners.filter((owner) => !matching.placeless.includes(owner));
  const cities = new Map<string, CountedCity>();
  for (const { parts, count, example, ownerId } of await listFacts(ctx, owners, ['place'])) {
    const [country, state, city] = parts;
    if (city === null) continue;
    const key = keyOf({ city, state, country });
    const before = cities.get(key) ?? { city, state, country, count: 0, examples: [] };
    const examples = example
      ? [...before.examples, { city, state, country, ownerId, assetId: example }]
      : before.examples;
    cities.set(key, { ...before, count: before.count + count, examples });
  }
  return [...cities.values()];
}

const keyOf = ({ city, state, country }: City) => JSON.stringify([city, state, country]);

/** In the order given. The picture that was kept for a city may be gone: then any other. */
async function picturesOf(
  ctx: Ctx,
  matching: Matching,
  cities: readonly CountedCity[],
): Promise<Asset[]> {
  const found = new Map<string, AssetView>();
  const keep = (rows: readonly AssetView[]) => {
    for (const row of rows) {
      const { city, state, country } = row;
      if (city !== null) found.set(keyOf({ city, state, country }), row);
    }
  };
  const examples = cities.flatMap((city) => city.examples.slice(0, 1));
  if (examples.length > 0) keep(await stillThere(ctx, matching, examples));
  const missing = cities.filter((city) => !found.has(keyOf(city)));
  keep(await oneOfEach(ctx, matching, missing));
  const options = toViewOptions(ctx.session, true);
  return cities.flatMap((city) => {
    const row = found.get(keyOf(city));
    return row ? [toAsset(row, options)] : [];
  });
}

const compareNames = (a: City, b: City) =>
  a.city.localeCompare(b.city) ||
  (a.state ?? '').localeCompare(b.state ?? '') ||
  (a.country ?? '').localeCompare(b.country ?? '');
const byName = (cities: readonly CountedCity[]) => cities.toSorted(compareNames);
