import type { TSchema } from 'elysia';
import * as z from 'zod';
import { isDay, isInstant } from '../core/dates.ts';
import { EXPECTED, type Expected } from './schemas.ts';

/**
 * How a value is read. `text`: from a path or a query, where numbers, flags and lists are spelled out, and
 * null is an empty text or the word.
 * `refusesUnknown`: objects have no members but those that are named.
 */
export type Reading = { readonly from: 'json' | 'text'; readonly refusesUnknown: boolean };

/**
 * Returns the Zod schema that accepts what `schema` describes, without any conversion of types. Zod
 * makes the error messages, because Immich's clients compare them.
 */
export function toZod(schema: TSchema, reading: Reading): z.ZodType {
  const cache = CACHES[reading.from][reading.refusesUnknown ? 'strict' : 'loose'];
  const cached = cache.get(schema);
  if (cached) return cached;
  const plain = convert(schema, reading);
  const converted = schema.default === undefined ? plain : plain.default(schema.default);
  cache.set(schema, converted);
  return converted;
}

type Cache = WeakMap<TSchema, z.ZodType>;
const newCaches = (): Record<'strict' | 'loose', Cache> => ({
  strict: new WeakMap(),
  loose: new WeakMap(),
});
const CACHES = { json: newCaches(), text: newCaches() };

function convert(schema: TSchema, reading: Reading): z.ZodType {
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
      return reading.from === 'text' ? z.stringbool(SPELLED_FLAG) : z.boolean();
    case 'integer':
    case 'number':
      return number(schema, reading);
    case undefined:
      return z.unknown();
    default:
      throw new Error(`No reader for a request schema of the type ${schema['type']}`);
  }
}

const SPELLED_FLAG = { truthy: ['true'], falsy: ['false'], case: 'sensitive' as const };

function union(choices: readonly TSchema[], reading: Reading): z.ZodType {
  const given = choices
    .filter(({ type, format }) => type !== 'null' && !SPELLED.has(format))
    .map((one) => toZod(one, reading));
  const one = given.length === 1 ? given[0]! : z.union(given);
  if (!choices.some(({ type }) => type === 'null')) return one;
  if (reading.from === 'json') return one.nullable();
  return z.preprocess((value) => (value === '' || value === 'null' ? null : value), one.nullable());
}

/** The framework's `t.Integer` is a choice of a number and of a text that spells it. */
const SPELLED = new Set<unknown>(['integer', 'numeric', 'boolean']);

function object(schema: TSchema, reading: Reading): z.ZodType {
  const patterns = schema['patternProperties'] as Record<string, TSchema> | undefined;
  if (patterns) return z.record(z.string(), toZod(Object.values(patterns)[0]!, reading));
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

/** The length is looked at first: what is too long is not read to its end. */
function array(schema: TSchema, reading: Reading): z.ZodType {
  const { items, minItems, maxItems = Infinity } = schema;
  let read: z.ZodArray = z.array(toZod(items as TSchema, reading));
  if (minItems !== undefined) read = read.min(minItems as number);
  return z.preprocess((value, context) => {
    const list = reading.from === 'text' && !Array.isArray(value) ? [value] : value;
    if (!Array.isArray(list) || list.length <= maxItems) return list;
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
  if (format === 'date-time') return described('ISO 8601 datetime string', isInstant);
  if (format === 'date') return described('ISO date string (YYYY-MM-DD)', isDay);
  const expected = schema[EXPECTED as unknown as string] as Expected | undefined;
  if (expected) return described(expected.name, expected.accepts);
  if (format === 'uuid' && pattern === undefined) return z.uuid();
  let read = z.string();
  if (minLength !== undefined) read = read.min(minLength as number);
  if (maxLength !== undefined) read = read.max(maxLength as number);
  if (pattern === undefined) return read;
  const error = format === 'uuid' ? { error: 'Invalid UUID' } : undefined;
  return read.regex(new RegExp(pattern as string), error);
}

/** A text for which Immich has a message of its own. */
function described(expected: string, accepts: (text: string) => boolean): z.ZodType {
  const error = (issue: { input?: unknown }) =>
    `Invalid input: expected ${expected}, received ${issue.input === null ? 'null' : typeof issue.input}`;
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

const parseNumeral = (value: unknown): unknown =>
  typeof value === 'string' ? (NUMERAL.test(value) ? Number(value) : Number.NaN) : value;

function number(schema: TSchema, { from }: Reading): z.ZodType {
  const { minimum, maximum, exclusiveMinimum } = schema;
  let read: z.ZodNumber = schema['type'] === 'integer' ? z.int() : z.number();
  if (minimum !== undefined) read = read.min(minimum as number);
  if (exclusiveMinimum !== undefined) read = read.gt(exclusiveMinimum as number);
  if (maximum !== undefined) read = read.max(maximum as number);
  return from === 'text' ? z.preprocess(parseNumeral, read) : read;
}
