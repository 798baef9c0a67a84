import { AppError } from '../core/errors.ts';
import type { FieldError } from './error-body.ts';

export const validationFailed = (errors: readonly FieldError[]): AppError =>
  new AppError('badRequest', 'Validation failed', { detail: { errors } });

type Path = readonly (string | number)[];

export const NOT_STORABLE = 'must be Unicode text without NUL characters';

/** Throws 400 for a text anywhere in the value that PostgreSQL cannot store. The error names its path. */
export function checkTexts(value: unknown): void {
  const path = findUnstorable(value);
  if (path === undefined) return;
  const message = `Invalid string: ${NOT_STORABLE}`;
  throw validationFailed([{ code: 'invalid_format', path, message }]);
}

/**
 * Returns the path of a text anywhere in the value that PostgreSQL cannot store: with a NUL character or a lone
 * surrogate. For the name of a member it is the path of the object.
 */
export function findUnstorable(value: unknown, path: Path = []): Path | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!isStorable(name)) return path;
    const found = findUnstorable(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found) return found;
  }
  return undefined;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
