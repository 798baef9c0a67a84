import type { Db } from '../../../db/client.ts';
import { getGeocoder } from '../../../media/places.ts';
import { readRecentConfig } from '../../system-config/index.ts';

export type PlaceColumns = {
  readonly [Name in 'city' | 'state' | 'country']: string | null;
};
const NO_PLACE: PlaceColumns = { city: null, state: null, country: null };

/** Returns the place of a position, in degrees: none at sea, and none while places are not looked up. */
export async function findPlace(
  db: Db,
  latitude: number | null | undefined,
  longitude: number | null | undefined,
): Promise<PlaceColumns> {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return NO_PLACE;
  const { reverseGeocoding } = await readRecentConfig(db);
  const place = reverseGeocoding.enabled
    ? (await getGeocoder()).reverse(latitude, longitude)
    : undefined;
  return place
    ? { city: place.city ?? null, state: place.state ?? null, country: place.country }
    : NO_PLACE;
}
