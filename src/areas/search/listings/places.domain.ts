import { createPlaceFinder, type PlaceFinder } from '../../../media/place-finder.ts';
import type { FoundPlace } from './listings.schemas.ts';
import { fold } from '../../../core/fold-text.ts';

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
