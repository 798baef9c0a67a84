import { STATUS_CODES } from 'node:http';
import type { AnyElysia } from 'elysia';
import { ACCESS_TOKEN_COOKIE } from '../access/credentials.ts';
import { isExtension } from './extensions.ts';
import { CURRENT, ErrorResponseDto, FORM, PARAM_NAMES } from './schemas.ts';

/** Credentials, with the names of Immich's document. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  cookie: { type: 'apiKey', in: 'cookie', name: ACCESS_TOKEN_COOKIE },
  api_key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  shared_link_key: { type: 'apiKey', in: 'query', name: 'key' },
  shared_link_slug: { type: 'apiKey', in: 'query', name: 'slug' },
} as const;

// oxlint-disable-next-line no-explicit-any -- a schema is open-ended JSON
type Json = Record<string, any>;

/**
 * Returns the OpenAPI document, derived from the schemas that validate requests and responses. The swagger
 * plugin drops schema titles and repeats each body as form data and text.
 */
export function openApi(app: AnyElysia): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const { method, path, hooks } of app.routes) {
    if (!hooks.detail?.operationId) continue;
    const names: Json = hooks.detail[PARAM_NAMES] ?? {};
    const documented = path.replaceAll(/:(\w+)/g, (_, name) => `{${names[name] ?? name}}`);
    const item = (paths[documented] ??= {});
    const isOurs = isExtension({ method, url: path.replaceAll(/:\w+/g, 'x') });
    item[method.toLowerCase()] = toOperation(
      hooks,
      components,
      isOurs ? listErrorResponses(method, path, hooks) : {},
    );
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Safelight', version: '3.2.2' },
    paths,
    components: {
      schemas: components,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function toOperation(
  { detail, schemas = {}, response }: Json,
  components: Json,
  refusals: Json,
): Json {
  const { params, query, headers, body } = schemas;
  const { [FORM]: form, [PARAM_NAMES]: _, ...rest } = detail;
  const { parameters: written = [], ...documented } = rest;
  const parameters = [
    ...listParameters('path', params, components),
    ...listParameters('query', query, components),
    ...listParameters('header', headers, components),
  ];
  const responses: Json = {};
  for (const [code, schema] of Object.entries({
    ...refusals,
    ...(response ?? { 200: undefined }),
  })) {
    const empty = schema === undefined || (schema as Json)['type'] === 'void';
    responses[code] = {
      description: STATUS_CODES[code] ?? code,
      ...(empty ? {} : { content: toContent(schema, components) }),
    };
  }
  return {
    ...documented,
    ...(parameters.length + written.length > 0 && { parameters: [...parameters, ...written] }),
    // A body with a default may be left out.
    ...(body && {
      requestBody: {
        required: body.default === undefined,
        content: toContent({ ...body, default: undefined }, components),
      },
    }),
    ...(form && {
      requestBody: {
        required: true,
        content: { [form.type]: { schema: extractComponents(form.schema, components) } },
      },
    }),
    responses,
  };
}

/** Returns the error responses of an extension: validation, authentication, missing resource, body. */
function listErrorResponses(method: string, path: string, { schemas = {} }: Json): Json {
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

function listParameters(place: string, schema: Json | undefined, components: Json) {
  const current: readonly string[] | undefined = schema?.[CURRENT];
  return Object.entries<Json>(schema?.['properties'] ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required:
      place === 'path' ||
      ((schema?.['required'] ?? []).includes(name) && property['default'] === undefined),
    ...(current && !current.includes(name) && { deprecated: true }),
    schema: extractComponents(property, components),
  }));
}

const toContent = (schema: unknown, components: Json) =>
  (schema as Json)['format'] === 'binary'
    ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: extractComponents(schema, components) } };

/** Returns a copy of the schema in which each titled schema is a reference to `components`. */
function extractComponents(node: unknown, components: Json): unknown {
  if (Array.isArray(node)) return node.map((child) => extractComponents(child, components));
  if (typeof node !== 'object' || node === null) return node;
  const { title: given, anyOf, ...rest } = node as Json;
  // Among properties, `title` is the schema of a field of that name.
  const title = typeof given === 'string' ? given : undefined;
  if (title === undefined && given !== undefined) rest['title'] = given;
  // For queries Elysia declares a union of text and number: document the number.
  const plain = (anyOf as Json[] | undefined)?.filter((choice) => !COERCED.has(choice['format']));
  if (plain?.length === 1) return extractComponents({ title, ...plain[0], ...rest }, components);

  const copy: Json = anyOf === undefined ? {} : { anyOf: extractComponents(anyOf, components) };
  for (const [key, child] of Object.entries(rest)) copy[key] = extractComponents(child, components);
  if (title === undefined) return copy;
  // A default belongs to the member or parameter, not to the shared component.
  const { default: value, ...component } = copy;
  components[title] = component;
  const reference = { $ref: `#/components/schemas/${title}` };
  return value === undefined ? reference : { allOf: [reference], default: value };
}

const COERCED = new Set(['integer', 'numeric', 'boolean']);
