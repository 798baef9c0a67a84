import { invalidField } from './errors.ts';

/** Where a page of a listing by time ends. */
export type Position = {
  /** As PostgreSQL writes it, to the last digit. */
  readonly takenAt: string;
  readonly id: string;
};

export const writeCursor = ({ takenAt, id }: Position): string =>
  Buffer.from(`${id}${takenAt}`).toString('base64url');

const PLAIN =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\d{4,6}-\d\d-\d\d [\d:.]{8,15}[+-][\d:]{2,8})$/;

export function readCursor(text: string): Position {
  const [, id, takenAt] = PLAIN.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (id === undefined || takenAt === undefined) throw invalidField('cursor', 'Not a cursor');
  return { id, takenAt };
}
