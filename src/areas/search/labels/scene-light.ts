// The light in which a photo was taken: by its exposure, and by the height of the sun.

export type Exposure = {
  readonly fNumber: number | null;
  /** Seconds, as '1/250'. */
  readonly exposureTime: string | null;
  readonly iso: number | null;
};

/** Returns seconds; undefined for what is none. */
function parseSeconds(text: string): number | undefined {
  const [dividend = Number.NaN, divisor = 1] = text.split('/').map(Number);
  const seconds = dividend / divisor;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/**
 * Returns the exposure value at ISO 100 (ISO 2720): 15 in the sun, 5 to 8 indoors, below 4 at night. Undefined where
 * the camera has not said all of it.
 */
export function computeExposureValue({ fNumber, exposureTime, iso }: Exposure): number | undefined {
  const seconds = exposureTime === null ? undefined : parseSeconds(exposureTime);
  if (seconds === undefined || !fNumber || !iso || fNumber < 0 || iso < 0) return undefined;
  return Math.log2((fNumber * fNumber) / seconds) - Math.log2(iso / 100);
}

const DEGREES = Math.PI / 180;
const DAY_MS = 86_400_000;
/** 1 January 2000, 12:00 UTC: the epoch J2000.0. */
const EPOCH = Date.UTC(2000, 0, 1, 12);

/**
 * Returns the height of the sun in degrees above the horizon; within a degree for this century (Astronomical Almanac,
 * low-precision formulas for the sun).
 */
export function computeSunHeight(at: Date, latitude: number, longitude: number): number {
  const days = (at.getTime() - EPOCH) / DAY_MS;
  const anomaly = (357.528 + 0.985_600_3 * days) * DEGREES;
  const mean = 280.46 + 0.985_647_4 * days;
  const ecliptic = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * DEGREES;
  const obliquity = 23.439 * DEGREES;
  const ascension = Math.atan2(Math.cos(obliquity) * Math.sin(ecliptic), Math.cos(ecliptic));
  const declination = Math.asin(Math.sin(obliquity) * Math.sin(ecliptic));
  const sidereal = (280.46062 + 360.985_647_37 * days + longitude) * DEGREES;
  const hourAngle = sidereal - ascension;
  const sine =
    Math.sin(latitude * DEGREES) * Math.sin(declination) +
    Math.cos(latitude * DEGREES) * Math.cos(declination) * Math.cos(hourAngle);
  return Math.asin(sine) / DEGREES;
}
