import { cutText, describeError, MAX_VALUE_CHARACTERS } from './error-text.ts';

type Scalar = string | number | boolean | bigint | null | undefined;
/** A value of a field. Everything else could bring a picture or a password into the log. */
export type LogValue = Scalar | readonly Scalar[];
/** As the logger takes them, whose parameters are checked by `Loggable`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The type of fields that may be logged: scalars, short lists of them, and an `error`. */
export type Loggable<Fields> = {
  readonly [Name in keyof Fields]: Name extends 'error'
    ? unknown
    : Fields[Name] extends LogValue
      ? Fields[Name]
      : 'a field of the log is a scalar';
};

const MAX_ITEMS = 20;
/** Characters of a whole line: journald cuts at 48 KiB. */
const MAX_LINE_CHARACTERS = 16 * 1024;

/** Returns the fields as scalars, each cut. Fields that have no place in the line are left out, with a note. */
export function toPlainFields(fields: LogFields): Record<string, string | number | boolean | null> {
  const plain: Record<string, string | number | boolean | null> = {};
  let left = MAX_LINE_CHARACTERS;
  let dropped = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const shown = toPlainValue(value);
    const length = cutText(name).length + JSON.stringify(shown).length;
    if (length <= left) {
      plain[cutText(name)] = shown;
      left -= length;
    } else dropped += 1;
  }
  return dropped > 0 ? { ...plain, droppedFields: dropped } : plain;
}

function toPlainValue(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Error) return describeError(value);
  if (isScalar(value)) return cutText(String(value));
  if (Array.isArray(value) && value.every(isScalar)) return joinItems(value);
  return `[not logged: ${Object.prototype.toString.call(value).slice(8, -1)}]`;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean', 'bigint', 'undefined'].includes(typeof value);

function joinItems(items: readonly Scalar[]): string {
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => String(item).slice(0, MAX_VALUE_CHARACTERS));
  const more = items.length - shown.length;
  return cutText(shown.join(', ')) + (more > 0 ? `, … (${items.length} items)` : '');
}
