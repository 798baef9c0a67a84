import { type SQL, sql } from 'drizzle-orm';

// A cursor is the key of the last row of a page, from the ack of that row. An invalid one, which only a
// client can invent, reads from the start.

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const ONE_ID = new RegExp(`^${UUID}$`);
const TWO_IDS = new RegExp(`^(${UUID})_(${UUID})$`);
const TIME_AND_ID = new RegExp(`^(\\d{1,17})_(${UUID})$`);

export type Cursor = string | undefined;

export const parseIdCursor = (cursor: Cursor): string | undefined => ONE_ID.exec(cursor ?? '')?.[0];

export function parsePairCursor(cursor: Cursor): readonly [string, string] | undefined {
  const [, first, second] = TWO_IDS.exec(cursor ?? '') ?? [];
  return first && second ? [first, second] : undefined;
}

/** Returns microseconds since 1970 and the id among rows of that instant. */
export function parseTimeCursor(cursor: Cursor): { micros: string; id: string } | undefined {
  const [, micros, id] = TIME_AND_ID.exec(cursor ?? '') ?? [];
  return micros && id ? { micros, id } : undefined;
}

export const toMicros = (instant: SQL) => sql`(extract(epoch from ${instant}) * 1000000)::bigint`;
export const fromMicros = (micros: SQL) =>
  sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`;
