import { computeCaptureTime, type ResolvedDateChange } from './dates.ts';
import type { ShownValues } from './schemas.ts';
import type { Field, Values } from './values.store.ts';

export type Place = Pick<Values, 'latitude' | 'longitude' | 'city' | 'state' | 'country'>;

/** A change whose sources are read and whose values are checked. */
export type ResolvedChange = {
  readonly date?: ResolvedDateChange | undefined;
  readonly place?: Place | undefined;
  readonly rating?: number | null;
  readonly description?: string;
};

/** The entries of `edited_fields` for each: a new extraction of metadata leaves these alone. */
const EDITED: Record<Field, readonly string[]> = {
  date: ['dateTimeOriginal'],
  place: ['latitude', 'longitude'],
  rating: ['rating'],
  description: ['description'],
};

/** Returns the values after a change; the same object if nothing differs. Throws as computeCaptureTime. */
export function computeValues(before: Values, change: ResolvedChange, now: Date): Values {
  const { date, place, rating, description } = change;
  const edited = (Object.keys(EDITED) as Field[])
    .filter((field) => change[field] !== undefined)
    .flatMap((field) => EDITED[field]);
  const after: Values = {
    ...before,
    ...(date && computeCaptureTime(before, date, now)),
    ...place,
    ...(rating !== undefined && { rating }),
    ...(description !== undefined && { description }),
    editedFields: [...new Set([...before.editedFields, ...edited])].toSorted(),
  };
  return isSame(before, after) ? before : after;
}

const isSame = (before: Values, after: Values): boolean =>
  (Object.keys(before) as (keyof Values)[]).every((name) =>
    name === 'editedFields'
      ? before.editedFields.length === after.editedFields.length
      : before[name] === after[name],
  );

/** Returns the values of these fields by the names of their columns. */
export function toColumns(after: Values, fields: readonly Field[]): Record<string, unknown> {
  const { latitude, longitude, city, state, country, rating, description } = after;
  const takenAt = new Date(after.takenAt).toISOString();
  const columns: Record<Field, Record<string, unknown>> = {
    date: {
      taken_at: takenAt,
      local_taken_at: new Date(after.local).toISOString().slice(0, -1),
      date_time_original: takenAt,
      time_zone: after.timeZone,
    },
    place: { latitude, longitude, city, state, country },
    rating: { rating },
    description: { description },
  };
  return Object.assign(
    { edited_fields: after.editedFields },
    ...fields.map((field) => columns[field]),
  ) as Record<string, unknown>;
}

export function toShown(values: Values): ShownValues {
  const { timeZone, latitude, longitude, city, state, country, rating, description } = values;
  const localDateTime = new Date(values.local).toISOString();
  return {
    localDateTime,
    timeZone,
    latitude,
    longitude,
    city,
    state,
    country,
    rating,
    description,
  };
}
