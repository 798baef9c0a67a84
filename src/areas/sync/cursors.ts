import { type SQL, sql } from 'drizzle-orm';

// Where a page of a table ends: the ack of its last row, without what stands in front of it. One of
// another shape, which only a client can make up, reads from the start.

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const ONE_ID = new RegExp(`^${UUID}$`);
const TWO_IDS = new RegExp(`^(${UUID})_(${UUID})$`);
const MOMENT = new RegExp(`^(\\d{1,17})_(${UUID})$`);

export type Cursor = string | undefined;

export const idIn = (cursor: Cursor): string | undefined => ONE_ID.exec(cursor ?? '')?.[0];

export function twoIdsIn(cursor: Cursor): readonly [string, string] | undefined {
  const [, first, second] = TWO_IDS.exec(cursor ?? '') ?? [];
  return first && second ? [first, second] : undefined;
}

/** Microseconds since 1970, and which of those of that instant. */
export function momentIn(cursor: Cursor): { micros: string; id: string } | undefined {
  const [, micros, id] = MOMENT.exec(cursor ?? '') ?? [];
  return micros && id ? { micros, id } : undefined;
}

export const microsOf = (instant: SQL) => sql`(extract(epoch from ${instant}) * 1000000)::bigint`;
export const instantOf = (micros: SQL) =>
  sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`;
