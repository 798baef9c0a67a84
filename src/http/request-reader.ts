import type { TSchema } from 'elysia';
import type * as z from 'zod';
import type { FieldError } from './error-body.ts';
import { isExtension } from './extensions.ts';
import { checkContentType, MAX_ANONYMOUS_BYTES, MAX_BODY_BYTES, readJson } from './request-body.ts';
import { PARAM_NAMES } from './schemas.ts';
import { checkTexts, validationFailed } from './text-check.ts';
import { toZod } from './zod-schema.ts';

export type RequestSchemas = {
  readonly params?: TSchema | undefined;
  readonly query?: TSchema | undefined;
  readonly body?: TSchema | undefined;
  /** Documented, not validated. */
  readonly headers?: TSchema | undefined;
};

// oxlint-disable-next-line no-explicit-any -- the hooks of a route, of which this needs a few
type Hooks = any;
/** `path` without /api. */
type Route = { readonly method: string; readonly path: string; readonly hooks: Hooks };
type Context = { readonly request: Request; readonly params: Record<string, string> };

/**
 * Replaces the framework's validation, which coerces types, by a strict reader that runs after
 * authentication. Moves the schemas of the route to `hooks.schemas`. Call it before the route is added to
 * the app.
 */
export function installStrictReader({ method, path, hooks }: Route): void {
  const { params, query, body, headers } = hooks;
  const schemas: RequestSchemas = { params, query, body, headers };
  for (const name of ['params', 'query', 'body', 'headers']) delete hooks[name];
  hooks.schemas = schemas;
  const isStreamed = hooks.parse?.some(({ fn }: { fn: unknown }) => fn === 'none') ?? false;
  // The framework would read the body before authentication.
  hooks.parse = [{ fn: 'none' }];
  const isOurs = isExtension({ method, url: `/api${path.replaceAll(/:\w+/g, 'x')}` });
  const names = hooks.detail?.[PARAM_NAMES] as Readonly<Record<string, string>> | undefined;
  const read = createReader(schemas, isOurs, names);
  const mayHaveBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  hooks.transform ??= [];
  if (mayHaveBody && !isStreamed) {
    const maxBytes = hooks.detail?.['x-open'] ? MAX_ANONYMOUS_BYTES : MAX_BODY_BYTES;
    const fn = async ({ request, params }: Context) => {
      if (body) return read(request, params, await readJson(request, maxBytes));
      checkContentType(request);
      return read(request, params);
    };
    hooks.transform.push({ fn, isAsync: true });
  } else if (params || query) {
    const fn = ({ request, params }: Context) => read(request, params);
    hooks.transform.push({ fn, isAsync: false });
  }
}

const MAX_ERRORS = 20;

type Part = 'params' | 'query' | 'body';
type Values = { [part in Part]?: unknown };

/** Creates the Zod schemas on the first request: creating all at start costs time. */
function createReader(
  schemas: RequestSchemas,
  isOurs: boolean,
  names: Readonly<Record<string, string>> | undefined,
) {
  let readers: Readonly<Record<Part, z.ZodType | undefined>> | undefined;
  const makeReaders = () => {
    const text = { from: 'text', refusesUnknown: false } as const;
    return {
      params: schemas.params && toZod(schemas.params, text),
      query: schemas.query && toZod(schemas.query, text),
      body: schemas.body && toZod(schemas.body, { from: 'json', refusesUnknown: isOurs }),
    };
  };
  return ({ url }: Request, params: Record<string, string>, body?: unknown): Values => {
    const parts = (readers ??= makeReaders());
    const values: Values = {};
    const errors: FieldError[] = [];
    const read = (name: Part, given: unknown) => {
      // Immich stops at the first part that is invalid, and reads them from the last to the first.
      const reader = parts[name];
      if (!reader || (!isOurs && errors.length > 0)) return;
      const result = reader.safeParse(given);
      if (result.success) values[name] = result.data;
      else errors.push(...result.error.issues.map(toFieldError));
    };
    if (url.includes('%00')) checkTexts({ ...params, ...parseQuery(url) });
    read('body', body);
    read('query', parts.query && parseQuery(url));
    read('params', names ? rename(params, names) : params);
    if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_ERRORS));
    return values;
  };
}

const rename = (params: Record<string, string>, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [names[name] ?? name, value]));

export const toFieldError = ({ code, path, message }: z.core.$ZodIssue): FieldError => ({
  code,
  path: path as (string | number)[],
  message,
});

/** A repeated parameter becomes a list. */
function parseQuery(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = url.indexOf('?');
  if (start < 0) return query;
  const end = url.indexOf('#', start);
  for (const [name, value] of new URLSearchParams(
    url.slice(start + 1, end < 0 ? undefined : end),
  )) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}
