import { AppError } from '../core/errors.ts';
import type { FieldError } from './error-body.ts';

export const validationFailed = (errors: readonly FieldError[]): AppError =>
  new AppError('badRequest', 'Validation failed', { detail: { errors } });

/**
 * Throws 400 for a text anywhere in the value that PostgreSQL cannot store: with a NUL character or a lone
 * surrogate. The error names its path.
 */
export function checkTexts(value: unknown, path: readonly (string | number)[] = []): void {
  if (typeof value === 'string') checkText(value, path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkTexts(item, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkText(name, path);
      checkTexts(member, [...path, name]);
    }
  }
}

function checkText(text: string, path: readonly (string | number)[]): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const message = 'Invalid string: must be Unicode text without NUL characters';
  throw validationFailed([{ code: 'invalid_format', path, message }]);
}
