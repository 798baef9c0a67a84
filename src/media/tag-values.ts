/** Readers for values of unknown shape: exiftool prints numbers, texts, lists and structures as it likes. */

const MAX_TEXT = 10_000;

/** Text cut to a length that a database column and a page can bear; without control characters. */
export function toText(value: unknown, limit = MAX_TEXT): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? toText(value[0], limit) : undefined;
  const text = value
    .slice(0, limit * 2)
    // PostgreSQL refuses NUL, and half of a surrogate pair is no text at all.
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '')
    .trim()
    .slice(0, limit)
    .toWellFormed();
  return text === '' ? undefined : text;
}

export function toNumber(value: unknown): number | undefined {
  if (Array.isArray(value)) return toNumber(value[0]);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A number within what a field can hold; everything else is garbage and left out. */
export function toNumberWithin(value: unknown, low: number, high: number): number | undefined {
  const number = toNumber(value);
  return number !== undefined && number >= low && number <= high ? number : undefined;
}

export function toIntegerWithin(value: unknown, low: number, high: number): number | undefined {
  const number = toNumberWithin(value, low, high);
  return number === undefined ? undefined : Math.round(number);
}

export const toRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;

/** One value or a list of values, as a list of at most `limit`. */
export const toList = (value: unknown, limit: number): readonly unknown[] =>
  value === undefined || value === null
    ? []
    : (Array.isArray(value) ? value : [value]).slice(0, limit);
