import { type ErrorHandler, type TSchema, ValidationError } from 'elysia';
import { AppError, databaseUnavailable, type ErrorDetail } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isConnectionFailure, sqlState } from '../db/client.ts';
import { errorBody, type FieldError } from './error-body.ts';

/** The only place where an error becomes a response. */
export const createOnError =
  (log: Log): ErrorHandler =>
  ({ code, error, request, set, status }) => {
    const body = (statusCode: number, message: string, detail?: ErrorDetail, word?: string) =>
      errorBody(request, statusCode, message, detail, word);
    const invalid = (message: string, detail?: ErrorDetail) =>
      status(400, body(400, message, detail, 'validation_failed'));
    const refuse = ({ status: number, message, detail, code: word, headers }: AppError) => {
      Object.assign(set.headers, headers);
      return status(number, body(number, message, detail, word));
    };
    if (error instanceof AppError) return refuse(error);
    if (code === 'NOT_FOUND')
      return status(404, body(404, `Cannot ${request.method} ${new URL(request.url).pathname}`));
    if (code === 'PARSE') return invalid('Malformed request body');
    // A response that breaks its own schema is our fault, not the caller's.
    if (error instanceof ValidationError && error.type !== 'response') {
      return invalid('Validation failed', { errors: fieldErrors(error, request) });
    }
    if (isUndecodable(error)) {
      const path = namesOf(error.value, request);
      const errors = [{ code: 'invalid', path, message: 'Not a list of valid values' }];
      return invalid('Validation failed', { errors });
    }
    // Nobody reads it. The log has a line that says so.
    if (request.signal.aborted) return status(499, body(499, 'The client went away'));
    if (isConnectionFailure(error)) {
      const { method, url } = request;
      log.warn('request failed: the database cannot be reached', {
        method,
        url: withoutQuery(url),
        error,
      });
      return refuse(databaseUnavailable());
    }
    const state = sqlState(error) ?? '';
    if (NUL_IN_TEXT.has(state)) return invalid('A text must not contain a NUL character');
    if (UNFIT.has(state)) {
      log.warn('a value was refused by the database', { url: withoutQuery(request.url), error });
      return invalid('A value is out of range');
    }
    log.error('request failed', { method: request.method, url: withoutQuery(request.url), error });
    return status(500, body(500, 'Internal server error'));
  };

/** What PostgreSQL says when it is given one, in a text or in JSON: its texts cannot hold it. */
const NUL_IN_TEXT = new Set(['22021', '22P05']);

/** Of a value that its type does not have: a date in the year 0, a rating of 1.5 or of billions. */
const UNFIT = new Set(['22003', '22007', '22008', '22009', '22P02']);

const withoutQuery = (url: string) => url.split('?', 1)[0];

/** A list in a query that has one value, and a wrong one: it fails while it is made a list. */
const isUndecodable = (error: unknown): error is Error & { readonly value: unknown } =>
  error instanceof Error &&
  error.constructor.name === 'TransformDecodeCheckError' &&
  'value' in error;

/** The parameter that has this value: the error does not say which it was. */
function namesOf(value: unknown, request: Request): string[] {
  const wanted = [value].flat().map(String);
  const given = new URL(request.url).searchParams;
  const name = [...given.keys()].find((key) => wanted.includes(given.get(key)!));
  return name === undefined ? [] : [name];
}

/** One entry per field: the first thing that is wrong with it. */
function fieldErrors(error: ValidationError, request: Request): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const found of error.all) {
    if (!('path' in found) || byPath.size >= 20) continue;
    const path = String(found.path);
    if (byPath.has(path)) continue;
    byPath.set(path, {
      code: 'invalid',
      path:
        path === ''
          ? outOfRange(error, request)
          : path
              .split('/')
              .slice(1)
              .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      message: messageOf(found),
    });
  }
  return [...byPath.values()];
}

/** What the schema wants, where the framework only names the kind of schema. */
const messageOf = ({ message, schema }: { message: string; schema: TSchema }): string =>
  wantedBy(schema) ?? message;

function wantedBy(schema: TSchema): string | undefined {
  const words: readonly string[] | undefined = schema['enum'];
  if (words && words.length > MAX_WORDS) return 'Not one of the known values';
  if (words) return `Must be one of ${words.join(', ')}`;
  const choices: readonly TSchema[] = schema['anyOf'] ?? [];
  const given = choices.filter(({ type }) => type !== 'null');
  // A flag or a number of a query is a choice of it and of a text that spells it.
  const one = given.find(({ type }) => SPELLED.has(type)) ?? (given.length === 1 ? given[0] : null);
  return one ? (wantedBy(one) ?? `Expected ${one['type']}${limitsOf(one)}`) : undefined;
}

function limitsOf({ minimum, maximum, maxLength, pattern }: TSchema): string {
  if (pattern !== undefined) return ` to match '${pattern}'`;
  if (maxLength !== undefined) return ` of at most ${maxLength} characters`;
  const limits = [
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
  ];
  return limits.map((limit) => (limit ? ` ${limit}` : '')).join('');
}

const MAX_WORDS = 30;
const SPELLED = new Set<unknown>(['boolean', 'integer', 'number']);

/** The framework forgets which number of a query was too small or too large, but not the number. */
function outOfRange({ value }: ValidationError, { url }: Request): string[] {
  const given: unknown = value;
  if (typeof given !== 'number') return [];
  const found = [...new URL(url).searchParams].find(([, text]) => Number(text) === given);
  return found ? [found[0]] : [];
}
