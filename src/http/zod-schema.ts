import type { TSchema } from 'elysia';
import * as z from 'zod';
import { isDay, isInstant } from '../core/dates.ts';
import { EXPECTED, type Expected, isNullIfEmpty, REFUSAL, type Refusal } from './schemas.ts';

/**
 * `from: 'text'`: from a path or a query, where numbers, flags and lists are spelled out and null is an
 * empty text or the word. `refusesUnknown`: objects may have declared members only.
 */
export type ReadOptions = { readonly from: 'json' | 'text'; readonly refusesUnknown: boolean };

/**
 * Returns the Zod schema that accepts the values of `schema` without type coercion. Zod creates the error
 * messages because Immich's clients compare them.
 */
export function toZod(schema: TSchema, reading: ReadOptions): z.ZodType {
  const cache = CACHES[reading.from][reading.refusesUnknown ? 'strict' : 'loose'];
  const cached = cache.get(schema);
  if (cached) return cached;
  const plain = convert(schema, reading);
  const converted = schema.default === undefined ? plain : plain.default(schema.default);
  cache.set(schema, converted);
  return converted;
}

type Cache = WeakMap<TSchema, z.ZodType>;
const createCaches = (): Record<'strict' | 'loose', Cache> => ({
  strict: new WeakMap(),
  loose: new WeakMap(),
});
const CACHES = { json: createCaches(), text: createCaches() };

/** Every keyword of a schema is enforced below, or says nothing of the value. */
const KEYWORDS = new Set(
  (
    'type anyOf enum const properties patternProperties required items minimum exclusiveMinimum maximum ' +
    'minLength maxLength pattern format minItems maxItems uniqueItems minProperties additionalProperties ' +
    'default nullable title description'
  ).split(' '),
);
const FORMATS = new Set(['date', 'date-time', 'uuid', 'uri', 'binary', 'integer', 'numeric']);

/** Throws for a schema that would be served and not enforced. */
function requireEnforced(schema: TSchema): void {
  const other = Object.keys(schema).find((name) => !KEYWORDS.has(name) && !name.startsWith('x-'));
  if (other !== undefined) throw new Error(`No reader for the keyword ${other}`);
  const { format } = schema;
  if (format !== undefined && !FORMATS.has(format)) throw new Error(`No reader for ${format}`);
}

function convert(schema: TSchema, reading: ReadOptions): z.ZodType {
  requireEnforced(schema);
  const choices = schema['anyOf'] as TSchema[] | undefined;
  if (choices) return union(choices, reading);
  const words = schema['enum'] as string[] | undefined;
  if (words) return z.enum(words);
  if (schema['const'] !== undefined) return z.literal(schema['const'] as string);
  switch (schema['type']) {
    case 'object':
      return object(schema, reading);
    case 'array':
      return array(schema, reading);
    case 'string':
      return string(schema);
    case 'boolean':
      return reading.from === 'text' ? z.stringbool(FLAG_WORDS) : z.boolean();
    case 'integer':
    case 'number':
      return number(schema, reading);
    case undefined:
      return z.unknown();
    default:
      throw new Error(`No reader for a request schema of the type ${schema['type']}`);
  }
}

const FLAG_WORDS = { truthy: ['true'], falsy: ['false'], case: 'sensitive' as const };

function union(choices: readonly TSchema[], reading: ReadOptions): z.ZodType {
  const given = choices
    .filter(({ type, format }) => type !== 'null' && !COERCED_FORMATS.has(format))
    .map((one) => toZod(one, reading));
  const [first] = given;
  const one = first && given.length === 1 ? first : z.union(given);
  if (!choices.some(({ type }) => type === 'null')) return one;
  const isNull =
    reading.from === 'text'
      ? (value: unknown) => value === '' || value === 'null'
      : choices.some(isNullIfEmpty) && ((value: unknown) => value === '');
  if (!isNull) return one.nullable();
  return z.preprocess((value) => (isNull(value) ? null : value), one.nullable());
}

/** The framework's `t.Integer` is a union of a number and a text format. */
const COERCED_FORMATS = new Set<unknown>(['integer', 'numeric', 'boolean']);

function object(schema: TSchema, reading: ReadOptions): z.ZodType {
  const [pattern] = Object.values<TSchema>(schema['patternProperties'] ?? {});
  if (pattern) return z.record(z.string(), toZod(pattern, reading));
  const required = new Set(schema['required'] as string[] | undefined);
  const shape: Record<string, z.ZodType> = {};
  for (const [name, member] of Object.entries<TSchema>(schema['properties'] ?? {})) {
    const read = toZod(member, reading);
    shape[name] = required.has(name) ? read : read.optional();
  }
  if (schema['additionalProperties']) return z.looseObject(shape);
  const read = reading.refusesUnknown ? z.strictObject(shape) : z.object(shape);
  if (schema['minProperties'] === undefined) return read;
  return read.refine((value) => Object.keys(value).length > 0, 'At least one member is required');
}

/** Checks the length first, so that a list that is too long is not validated. */
function array(schema: TSchema, reading: ReadOptions): z.ZodType {
  const { items, minItems, maxItems = Infinity, uniqueItems } = schema;
  let read: z.ZodArray = z.array(toZod(items as TSchema, reading));
  if (minItems !== undefined) read = read.min(minItems as number);
  return z.preprocess((value, context) => {
    const list = reading.from === 'text' && !Array.isArray(value) ? [value] : value;
    if (!Array.isArray(list)) return list;
    if (uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length) {
      context.issues.push({
        code: 'custom',
        message: 'Array must have unique items',
        input: value,
      });
    }
    if (list.length <= maxItems) return list;
    context.issues.push({
      code: 'too_big',
      origin: 'array',
      maximum: maxItems as number,
      inclusive: true,
      input: value,
    });
    return z.NEVER;
  }, read);
}

function string(schema: TSchema): z.ZodType {
  const { format, pattern, minLength, maxLength } = schema;
  if (format === 'date-time') return textWithError('ISO 8601 datetime string', isInstant);
  if (format === 'date') return textWithError('ISO date string (YYYY-MM-DD)', isDay);
  const expected = schema[EXPECTED as unknown as string] as Expected | undefined;
  if (expected) return textWithError(expected.name, expected.accepts);
  if (format === 'uuid' && pattern === undefined) return z.uuid();
  if (format === 'uri') return z.url();
  let read = z.string();
  if (minLength !== undefined) read = read.min(minLength as number);
  if (maxLength !== undefined) read = read.max(maxLength as number);
  if (pattern === undefined) return read;
  const refusal = schema[REFUSAL as unknown as string] as Refusal | undefined;
  const error = format === 'uuid' ? { error: 'Invalid UUID' } : undefined;
  return read.regex(
    new RegExp(pattern as string),
    refusal ? { error: ({ input }) => refusal(String(input)) } : error,
  );
}

/** Returns the schema of a text with Immich's own error message, which calls null an object. */
function textWithError(expected: string, accepts: (text: string) => boolean): z.ZodType {
  const error = (issue: { input?: unknown }) =>
    `Invalid input: expected ${expected}, received ${typeof issue.input}`;
  return z.string({ error }).check((context) => {
    const { value } = context;
    if (accepts(value)) return;
    context.issues.push({
      code: 'invalid_format',
      format: 'regex',
      message: error({ input: value }),
      input: value,
    });
  });
}

const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** A number that is left out is no number either: Immich converts both. */
const parseNumeral = (value: unknown): unknown => {
  if (value === undefined) return Number.NaN;
  return typeof value === 'string' ? (NUMERAL.test(value) ? Number(value) : Number.NaN) : value;
};

function number(schema: TSchema, { from }: ReadOptions): z.ZodType {
  const { minimum, maximum, exclusiveMinimum } = schema;
  let read: z.ZodNumber = schema['type'] === 'integer' ? z.int() : z.number();
  if (minimum !== undefined) read = read.min(minimum as number);
  if (exclusiveMinimum !== undefined) read = read.gt(exclusiveMinimum as number);
  if (maximum !== undefined) read = read.max(maximum as number);
  return from === 'text' ? z.preprocess(parseNumeral, read) : read;
}
