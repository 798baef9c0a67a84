import type { TSchema } from 'elysia';
import type * as z from 'zod';
import type { FieldError } from './error-body.ts';
import { isExtension } from './extensions.ts';
import { checkContentType, MAX_ANONYMOUS_BYTES, MAX_BODY_BYTES, readJson } from './request-body.ts';
import { REFUSES_ALL_BUT } from './schemas.ts';
import { checkTexts, validationFailed } from './text-check.ts';
import { toZod } from './zod-schema.ts';

/** What a route says about its request. */
export type RequestSchemas = {
  readonly params?: TSchema | undefined;
  readonly query?: TSchema | undefined;
  readonly body?: TSchema | undefined;
  /** For the documentation alone. */
  readonly headers?: TSchema | undefined;
};

// oxlint-disable-next-line no-explicit-any -- the hooks of a route, of which this needs a few
type Hooks = any;
/** `path` as its area knows it, without /api. */
type Route = { readonly method: string; readonly path: string; readonly hooks: Hooks };
type Context = { readonly request: Request; readonly params: Record<string, string> };

/**
 * Takes the reading of a request from the framework, which converts what does not fit: the schemas of
 * the route move to `hooks.schemas`, and what they describe is read after the caller is known, by one
 * strict reader. Call before the route becomes a part of the app.
 */
export function readStrictly({ method, path, hooks }: Route): void {
  const { params, query, body, headers } = hooks;
  const schemas: RequestSchemas = { params, query, body, headers };
  for (const name of ['params', 'query', 'body', 'headers']) delete hooks[name];
  hooks.schemas = schemas;
  const isStreamed = hooks.parse?.some(({ fn }: { fn: unknown }) => fn === 'none') ?? false;
  // The framework reads a body before anybody has asked who sends it.
  hooks.parse = [{ fn: 'none' }];
  const isOurs = isExtension({ method, url: `/api${path.replaceAll(/:\w+/g, 'x')}` });
  const read = createReader(schemas, isOurs);
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

/** Zod's schemas are made for the first request: a start would pay for those that nobody asks for. */
function createReader(schemas: RequestSchemas, isOurs: boolean) {
  let readers: Readonly<Record<Part, z.ZodType | undefined>> | undefined;
  const dropped: readonly string[] | undefined =
    schemas.body?.[REFUSES_ALL_BUT as unknown as string];
  const makeReaders = () => {
    const text = { from: 'text', refusesUnknown: false } as const;
    const refusesUnknown = isOurs || dropped !== undefined;
    return {
      params: schemas.params && toZod(schemas.params, text),
      query: schemas.query && toZod(schemas.query, text),
      body: schemas.body && toZod(schemas.body, { from: 'json', refusesUnknown }),
    };
  };
  return ({ url }: Request, params: Record<string, string>, body?: unknown): Values => {
    readers ??= makeReaders();
    const values: Values = {};
    const errors: FieldError[] = [];
    const read = (name: Part, given: unknown) => {
      // Immich looks at one part of a request after the other, and stops at the first that is wrong.
      if (!readers![name] || (!isOurs && errors.length > 0)) return;
      const result = readers![name].safeParse(given);
      if (result.success) values[name] = result.data;
      else errors.push(...result.error.issues.map(toFieldError));
    };
    if (url.includes('%00')) checkTexts({ ...params, ...parseQuery(url) });
    read('params', params);
    read('query', readers.query && parseQuery(url));
    read('body', dropped ? without(body, dropped) : body);
    if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_ERRORS));
    return values;
  };
}

const without = (body: unknown, names: readonly string[]): unknown =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
    : body;

const toFieldError = ({ code, path, message }: z.core.$ZodIssue): FieldError => ({
  code,
  path: path as (string | number)[],
  message,
});

/** A parameter that is there twice is a list. */
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
