import type { Facts } from '../runs/facts.ts';

const EARTH_DIAMETER_KM = 12_742;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

type Circle = {
  readonly latitude: number;
  readonly longitude: number;
  /** km */
  readonly radius: number;
};

/** Returns whether an asset was taken within a circle; false without a position. */
export function isNearby(
  { latitude, longitude }: Pick<Facts, 'latitude' | 'longitude'>,
  center: Circle,
): boolean {
  if (latitude === null || longitude === null) return false;
  const here = toRadians(latitude);
  const there = toRadians(center.latitude);
  const haversine =
    Math.sin((here - there) / 2) ** 2 +
    Math.cos(here) *
      Math.cos(there) *
      Math.sin((toRadians(longitude) - toRadians(center.longitude)) / 2) ** 2;
  return EARTH_DIAMETER_KM * Math.asin(Math.min(1, Math.sqrt(haversine))) <= center.radius;
}

type Day = { readonly day: number; readonly month: number; readonly year: number };

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const toMonthDay = ({ month, day }: Day): string => `${pad(month)}-${pad(day)}`;

/** Returns whether a local time is within two days, both included; in any year if `recurring`. */
export function isBetweenDays(
  localTime: string,
  start: Day,
  end: Day,
  recurring: boolean,
): boolean {
  if (!recurring) {
    const day = localTime.slice(0, 10);
    return (
      day >= `${pad(start.year, 4)}-${toMonthDay(start)}` &&
      day <= `${pad(end.year, 4)}-${toMonthDay(end)}`
    );
  }
  const [day, first, last] = [localTime.slice(5, 10), toMonthDay(start), toMonthDay(end)];
  // From December to January the turn of the year is inside.
  return first <= last ? day >= first && day <= last : day >= first || day <= last;
}
