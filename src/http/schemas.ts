import { t } from 'elysia';
import { isInstant } from '../core/dates.ts';

// Schema objects carry `title`: openapi.ts turns each titled schema into a named component.

/** UUID of version 4. */
export const Uuid = t.String({
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
});
/** UUID of version 7. */
export const Uuid7 = t.String({
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
});
/** UUID of any version, also the one of zeros: such ids may come from elsewhere. */
export const AnyUuid = t.String({ format: 'uuid' });
export const IdParams = t.Object({ id: Uuid });
/** Format of Date.toISOString(). */
export const Timestamp = t.String({ format: 'date-time' });
/** Response without a body. */
export const NoContent = t.Void();
/** Response body other than JSON. */
export const Binary = t.Unsafe<Response>(t.Any({ title: 'Binary', format: 'binary' }));

/**
 * Enumeration of words. Never use t.UnionEnum alone: its default would turn an omitted filter into the
 * first word.
 */
export const stringEnum = <const T extends readonly [string, ...string[]]>(
  words: T,
  options: { title?: string; default?: T[number] } = {},
) => t.UnionEnum([...words] as unknown as [...T], { ...NO_DEFAULT, ...options });
const NO_DEFAULT: object = { default: undefined };

/** A query flag: exactly true or false. */
export const QueryFlag = t.Optional(t.Boolean());

/** Largest number of PostgreSQL's `integer`, and in milliseconds the longest delay of a timer. */
export const MAX_INT32 = 2 ** 31 - 1;

/** A thousand years: dates that are computed with it have a year of four digits. */
export const MAX_RETENTION_DAYS = 365_000;

/** Page number from 1. The maximum avoids integer overflow for any page size. */
export const PageNumber = t.Integer({ minimum: 1, maximum: 1_000_000, default: 1 });

/** Query parameters that identify a shared link. */
export const GuestQuery = { key: t.Optional(t.String()), slug: t.Optional(t.String()) };

export const BulkIdsDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 65_000 }) },
  { title: 'BulkIdsDto' },
);

export const BulkIdResponseDto = t.Object(
  {
    id: Uuid,
    success: t.Boolean(),
    error: t.Optional(
      stringEnum(['duplicate', 'no_permission', 'not_found', 'unknown', 'validation'], {
        title: 'BulkIdErrorReason',
      }),
    ),
    errorMessage: t.Optional(t.String()),
  },
  { title: 'BulkIdResponseDto' },
);
export type BulkIdResult = typeof BulkIdResponseDto.static;

/** Timestamp in a request: any offset, but always one. */
export const InputTimestamp = Timestamp;

/** Condition for a text, with the name that Immich's error message gives it. */
export const EXPECTED = Symbol('expected');
export type Expected = { readonly name: string; readonly accepts: (text: string) => boolean };
export const expected = (name: string, accepts: Expected['accepts']): object => ({
  [EXPECTED]: { name, accepts } satisfies Expected,
});

const EMPTY = Symbol('empty is null');
/** A text that may be null, and is if it is empty, as in Immich. */
export const EMPTY_IS_NULL: object = { [EMPTY]: true };
export const isNullIfEmpty = (schema: object): boolean => EMPTY in schema;

/** Immich's message for a text that a pattern refuses; undefined: the one that names the pattern. */
export const REFUSAL = Symbol('refusal');
export type Refusal = (text: string) => string | undefined;

const NUMBER = String.raw`-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
/** west,south,east,north in degrees, each as JavaScript prints numbers: a small one has an exponent. */
export const BoundingBox = t.String({
  pattern: `^${NUMBER}(?:,${NUMBER}){3}$`,
  [REFUSAL]: ((text) =>
    text.split(',').length === 4
      ? 'bbox parts must be valid numbers'
      : 'bbox must have 4 comma-separated numbers: west,south,east,north') satisfies Refusal,
});

/** Timestamp, or local time without an offset. */
export const LocalTimestamp = t.String(
  expected('ISO 8601 datetime string', (text) => isInstant(text) || isInstant(`${text}Z`)),
);

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;
/** Accepts hosts without a dot, as admin@nas, which the `email` format of the validator refuses. */
export const Email = t.String({
  pattern: EMAIL.source,
  ...expected('email', (text) => EMAIL.test(text)),
});
/** Marks all query parameters but these as deprecated in the documentation. */
export const deprecateAllBut = (...names: readonly string[]): object => ({ [CURRENT]: names });
export const CURRENT = 'x-current';

/**
 * Gives path parameters other names than the route has: the router wants one name in one place, whatever
 * follows.
 */
export const renameParams = (names: Readonly<Record<string, string>>): object => ({
  [PARAM_NAMES]: names,
});
export const PARAM_NAMES = 'x-param-names';

/** Documents the form of a route that reads it from the stream, without validation. */
export const multipartForm = (schema: object): object => ({
  [FORM]: { type: 'multipart/form-data', schema },
});
/** The same for a form without files. */
export const urlEncodedForm = (schema: object): object => ({
  [FORM]: { type: 'application/x-www-form-urlencoded', schema },
});
export const FORM = 'x-form';

/** Error of an extension; clients branch on `code`. */
export const ErrorResponseDto = t.Object(
  {
    message: t.String(),
    statusCode: t.Integer(),
    code: t.Optional(t.String()),
    reason: t.Optional(t.String()),
    /** The same request may succeed later. */
    retryable: t.Optional(t.Boolean()),
    currentRevision: t.Optional(t.Nullable(t.Union([t.Integer(), t.String()]))),
  },
  { title: 'ErrorResponseDto', additionalProperties: true },
);
