import { type SQL, sql } from 'drizzle-orm';
import { invalidField } from '../core/errors.ts';

// Keyset pagination: a page begins behind a row that is known by its sort value and its id, so a late
// page costs what the first one costs.

/** The place of a row in a listing that is sorted by one value and the id. */
export type Position = {
  /** The sort value as PostgreSQL prints it, in full precision. */
  readonly value: string;
  readonly id: string;
};

/** Returns a position as an opaque cursor for clients. */
export const encodeCursor = ({ value, id }: Position): string =>
  Buffer.from(`${id}${value}`).toString('base64url');

const PLAIN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})([\d :.+-]{1,40})$/;

/** Throws a bad request when `text` is not a cursor of `encodeCursor`. */
export function decodeCursor(text: string): Position {
  const [, id, value] = PLAIN.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (id === undefined || value === undefined) throw invalidField('cursor', 'Not a cursor');
  return { value, id };
}

export type Keyset = {
  /** Sort columns in order, the id last, and the values of a row in the same order. */
  readonly columns: readonly SQL[];
  readonly values: readonly SQL[];
  readonly direction: 'asc' | 'desc';
  /** Whether that row itself belongs to the page. */
  readonly isInclusive?: boolean;
};

/** Returns the condition `(a, b, id) < (x, y, z)` for the rows behind a row, which an index answers. */
export function isBehind({ columns, values, direction, isInclusive = false }: Keyset): SQL {
  const operator = `${direction === 'asc' ? '>' : '<'}${isInclusive ? '=' : ''}`;
  return sql`(${sql.join(columns.slice(), sql`, `)}) ${sql.raw(operator)} (${sql.join(values.slice(), sql`, `)})`;
}
