import { getDayNumber } from './days.ts';

/** Where most pictures of a local day were taken, in degrees. */
export type DayPlace = {
  readonly day: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Pictures with a place. */
  readonly count: number;
};

/** Days away from home. */
export type Journey = {
  /** First day: the same journey has the same id, also when it turns out to be longer. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Home at the time. */
  readonly latitude: number;
  readonly longitude: number;
};

const AWAY_KM = 50;
/** Home is where most days of the half year before and after were spent. */
const HOME_DAYS = 182;
/** With fewer days with places it is not known where home is. */
const LEAST_HOME_DAYS = 10;
/** Days without pictures within a journey. */
const GAP_DAYS = 2;
const LEAST_DAYS = 2;
const LEAST_PICTURES = 8;

/** Returns the journeys in these days, which are in order. */
export function findJourneys(days: readonly DayPlace[]): Journey[] {
  const homes = findHomes(days);
  const journeys: Journey[] = [];
  let current: DayPlace[] = [];
  let home: DayPlace | undefined;
  const end = () => {
    const [first, last] = [current[0], current.at(-1)];
    const pictures = current.reduce((sum, { count }) => sum + count, 0);
    if (first && last && home && current.length >= LEAST_DAYS && pictures >= LEAST_PICTURES) {
      const { latitude, longitude } = home;
      journeys.push({ id: first.day, from: first.day, to: last.day, latitude, longitude });
    }
    current = [];
  };
  for (const [n, place] of days.entries()) {
    const last = current.at(-1);
    if (last && getDayNumber(place.day) - getDayNumber(last.day) > GAP_DAYS + 1) end();
    const near = homes[n];
    if (!near || computeKm(place, near) < AWAY_KM) {
      end();
      continue;
    }
    if (current.length === 0) home = near;
    current.push(place);
  }
  end();
  return journeys;
}

/** Returns the home on each of the days; undefined: not known. */
function findHomes(days: readonly DayPlace[]): (DayPlace | undefined)[] {
  const places = days.map((place) => ({
    place,
    cell: toCell(place),
    number: getDayNumber(place.day),
  }));
  const counts = new Map<string, { place: DayPlace; days: number }>();
  let [start, end] = [0, 0];
  return places.map(({ number }) => {
    for (let one = places[end]; one && one.number <= number + HOME_DAYS; one = places[++end]) {
      const known = counts.get(one.cell);
      if (known) known.days += 1;
      else counts.set(one.cell, { place: one.place, days: 1 });
    }
    for (let one = places[start]; one && one.number < number - HOME_DAYS; one = places[++start]) {
      const known = counts.get(one.cell);
      if (known) known.days -= 1;
    }
    let best: { place: DayPlace; days: number } | undefined;
    for (const one of counts.values()) if (!best || one.days > best.days) best = one;
    return best && best.days >= LEAST_HOME_DAYS ? best.place : undefined;
  });
}

const toCell = ({ latitude, longitude }: DayPlace) => `${latitude} ${longitude}`;

const EARTH_KM = 6371;
const toRadians = (degrees: number) => (degrees * Math.PI) / 180;

type Position = Pick<DayPlace, 'latitude' | 'longitude'>;

function computeKm(one: Position, other: Position): number {
  const [a, b] = [toRadians(one.latitude), toRadians(other.latitude)];
  const turn = toRadians(other.longitude - one.longitude);
  const h = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.sqrt(h));
}
