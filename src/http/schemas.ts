import { t } from 'elysia';
import { isInstant } from '../core/dates.ts';

// Schema objects carry `title`: openapi.ts turns each titled schema into a named component.

/** The identifiers of most things: version 4 only. */
export const Uuid = t.String({
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
});
export const IdParams = t.Object({ id: Uuid });
/** On the wire; the domain turns a Date into it with toISOString(). */
export const Timestamp = t.String({ format: 'date-time' });
/** What every answer without a body declares. */
export const NoContent = t.Void();
/** A body that is no JSON. */
export const Binary = t.Unsafe<Response>(t.Any({ title: 'Binary', format: 'binary' }));

/**
 * One of a few words. Use this, never t.UnionEnum alone: that one carries a default, so a filter
 * that the caller left out would silently become the first word.
 */
export const oneOf = <const T extends readonly [string, ...string[]]>(
  words: T,
  options: { title?: string; default?: T[number] } = {},
) => t.UnionEnum([...words] as unknown as [...T], { ...NO_DEFAULT, ...options });
const NO_DEFAULT: object = { default: undefined };

/** A query flag: exactly true or false. */
export const QueryFlag = t.Optional(t.Boolean());

/** Of a listing, from 1. So many pages of any size are more rows than a library has, and no overflow. */
export const PageNumber = t.Integer({ minimum: 1, maximum: 1_000_000, default: 1 });

/** How guests say which shared link they hold. */
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
      oneOf(['duplicate', 'no_permission', 'not_found', 'unknown', 'validation'], {
        title: 'BulkIdErrorReason',
      }),
    ),
    errorMessage: t.Optional(t.String()),
  },
  { title: 'BulkIdResponseDto' },
);
export type BulkIdResult = typeof BulkIdResponseDto.static;

/** An instant that a caller gives: any offset, but never none. In requests the format is strict. */
export const InputTimestamp = Timestamp;

/** Of a text: which one a request may have, and what Immich calls it when it is another one. */
export const EXPECTED = Symbol('expected');
export type Expected = { readonly name: string; readonly accepts: (text: string) => boolean };
export const expected = (name: string, accepts: Expected['accepts']): object => ({
  [EXPECTED]: { name, accepts } satisfies Expected,
});

/** An instant, or without an offset what a clock showed. */
export const LocalTimestamp = t.String(
  expected('ISO 8601 datetime string', (text) => isInstant(text) || isInstant(`${text}Z`)),
);

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;
/** Also of a host without a dot, as admin@nas; the `email` format of the validator refuses those. */
export const Email = t.String({
  pattern: EMAIL.source,
  ...expected('email', (text) => EMAIL.test(text)),
});
/**
 * Of the body of an operation that Immich has, which would drop members that it does not know: they are
 * refused, except these names, which are dropped because clients send them.
 */
export const REFUSES_ALL_BUT = Symbol('refuses all but');

/** Of a query: all parameters but these work as ever, and are documented as deprecated. */
export const deprecatedBut = (...names: readonly string[]): object => ({ [CURRENT]: names });
export const CURRENT = 'x-current';

/** `detail` of a route that reads its form from the stream: no schema validates it, one documents it. */
export const multipartForm = (schema: object): object => ({ [MULTIPART]: schema });
export const MULTIPART = 'x-multipart';

/** What operations beyond Immich's answer when they refuse; clients branch on `code`. */
export const ErrorResponseDto = t.Object(
  {
    message: t.String(),
    statusCode: t.Integer(),
    code: t.Optional(t.String()),
    reason: t.Optional(t.String()),
    /** The very same request may succeed later. */
    retryable: t.Optional(t.Boolean()),
    currentRevision: t.Optional(t.Nullable(t.Union([t.Integer(), t.String()]))),
  },
  { title: 'ErrorResponseDto', additionalProperties: true },
);
