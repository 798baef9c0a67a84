import { STATUS_CODES } from 'node:http';
import type { AnyElysia } from 'elysia';
import { isExtension } from './extensions.ts';
import { CURRENT, ErrorResponseDto, MULTIPART } from './schemas.ts';

// oxlint-disable-next-line no-explicit-any -- a schema is open-ended JSON
type Json = Record<string, any>;

/**
 * The OpenAPI document, derived from the very schemas that validate requests and responses. Made
 * here because the swagger plugin drops schema titles and repeats each body as form data and text.
 */
export function openApi(app: AnyElysia): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const { method, path, hooks } of app.routes) {
    if (!hooks.detail?.operationId) continue;
    const item = (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= {});
    const isOurs = isExtension({ method, url: path.replaceAll(/:\w+/g, 'x') });
    item[method.toLowerCase()] = operation(
      hooks,
      components,
      isOurs ? refusalsOf(method, path, hooks) : {},
    );
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Safelight', version: '3.2.2' },
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    },
  };
}

function operation(
  { detail, schemas = {}, response }: Json,
  components: Json,
  refusals: Json,
): Json {
  const { params, query, headers, body } = schemas;
  const parameters = [
    ...parametersIn('path', params, components),
    ...parametersIn('query', query, components),
    ...parametersIn('header', headers, components),
  ];
  const responses: Json = {};
  for (const [code, schema] of Object.entries({
    ...refusals,
    ...(response ?? { 200: undefined }),
  })) {
    const empty = schema === undefined || (schema as Json)['type'] === 'void';
    responses[code] = {
      description: STATUS_CODES[code] ?? code,
      ...(empty ? {} : { content: content(schema, components) }),
    };
  }
  const { [MULTIPART]: form, parameters: written = [], ...documented } = detail;
  return {
    ...documented,
    ...(parameters.length + written.length > 0 && { parameters: [...parameters, ...written] }),
    ...(body && { requestBody: { required: true, content: content(body, components) } }),
    ...(form && {
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: named(form, components) } },
      },
    }),
    responses,
  };
}

/** What the reader of requests, the guard and the search for a resource refuse, of our own operations. */
function refusalsOf(method: string, path: string, { schemas = {} }: Json): Json {
  const { params, query, body } = schemas;
  const codes = [
    ...(params || query || body ? [400] : []),
    401,
    403,
    ...(path.includes('/:') ? [404] : []),
    ...(body ? [413, 415] : []),
  ];
  return method === 'HEAD' ? {} : Object.fromEntries(codes.map((code) => [code, ErrorResponseDto]));
}

function parametersIn(place: string, schema: Json | undefined, components: Json) {
  const current: readonly string[] | undefined = schema?.[CURRENT];
  return Object.entries<Json>(schema?.['properties'] ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (schema?.['required'] ?? []).includes(name),
    ...(current && !current.includes(name) && { deprecated: true }),
    schema: named(property, components),
  }));
}

const content = (schema: unknown, components: Json) =>
  (schema as Json)['format'] === 'binary'
    ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: named(schema, components) } };

/** A copy of the schema in which each titled schema is a reference to `components`. */
function named(node: unknown, components: Json): unknown {
  if (Array.isArray(node)) return node.map((child) => named(child, components));
  if (typeof node !== 'object' || node === null) return node;
  const { title: given, anyOf, ...rest } = node as Json;
  // Among properties it is one of them: a field that happens to be called title.
  const title = typeof given === 'string' ? given : undefined;
  if (title === undefined && given !== undefined) rest['title'] = given;
  // In a query Elysia takes '5' for 5: a choice of text and number. Document the number.
  const plain = (anyOf as Json[] | undefined)?.filter((choice) => !COERCED.has(choice['format']));
  if (plain?.length === 1) return named({ title, ...plain[0], ...rest }, components);

  const copy: Json = anyOf === undefined ? {} : { anyOf: named(anyOf, components) };
  for (const [key, child] of Object.entries(rest)) copy[key] = named(child, components);
  if (title === undefined) return copy;
  // A default belongs to the member or parameter, not to everything of its type.
  const { default: value, ...component } = copy;
  components[title] = component;
  const reference = { $ref: `#/components/schemas/${title}` };
  return value === undefined ? reference : { allOf: [reference], default: value };
}

const COERCED = new Set(['integer', 'numeric', 'boolean']);
