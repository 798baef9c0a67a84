import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { TSchema } from 'elysia';
import { openApi } from '../src/http/openapi.ts';
import { unconnectedApp } from './contract/report.ts';
import {
  createOwnRequest,
  type Request,
  type Route,
  ROUTES,
  withoutParameter,
  withParameter,
  withSegment,
} from './matrix/requests.ts';
import { type Snapshot, takeSnapshot } from './matrix/restore.ts';
import { buildWorld, type World } from './matrix/world.ts';
import { useApp } from './support/database.ts';
import { send } from './support/harness.ts';
import type { Json } from './support/json.ts';
import { sample } from './support/sample.ts';
import { createValid, listPlaces, type Path, withValue } from './support/valid-body.ts';

// The served document is enforced: each keyword of each value is violated, one at a time, in a request
// that is right but for it. The response is 400 with the path of the member.

const { database, app } = await useApp({}, { connections: 1 });
let world: World;
let library: Snapshot;
beforeAll(async () => {
  world = await buildWorld(database, app);
  await database.sql`update shared_link set allow_upload = true, allow_download = true`;
  library = await takeSnapshot(database);
});
// Credentials of the world may have been revoked.
afterEach(() => library.restore());

const document: Json = openApi(unconnectedApp());
const OPERATIONS = new Map<string, Json>(
  Object.values<Json>(document.paths)
    .flatMap((methods) => Object.values<Json>(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** Puts the components in the place of references to them. */
function expand(node: Json): Json {
  if (Array.isArray(node)) return node.map(expand);
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, allOf, ...rest } = node;
  if ($ref) return expand(document.components.schemas[$ref.split('/').at(-1)]);
  if (Array.isArray(allOf)) return { ...expand(allOf[0]), ...rest };
  return Object.fromEntries(Object.entries(rest).map(([name, child]) => [name, expand(child)]));
}

const getBody = ({ operationId }: Route): TSchema | undefined => {
  const content = OPERATIONS.get(operationId).requestBody?.content;
  return content?.['application/json'] && expand(content['application/json'].schema);
};
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly schema: TSchema;
  readonly required?: boolean;
};
const getParameters = ({ operationId }: Route, place: 'path' | 'query'): readonly Parameter[] =>
  ((OPERATIONS.get(operationId).parameters ?? []) as Parameter[])
    .filter((parameter) => parameter.in === place)
    .map((parameter) => ({ ...parameter, schema: expand(parameter.schema) }));

/** A quick run tries so many members of a body. */
const QUICK_PLACES = 6;
/** Lists of more items are not sent: the body would be too large. */
const MOST_ITEMS = 2000;
const NO_MATCH = ['!', '', 'x y', '\u2028'];

/** Returns values that violate one keyword each. */
function listViolations(schema: TSchema): [keyword: string, value: unknown][] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, pattern, format } = schema;
  const { minItems, maxItems, items, minProperties } = schema;
  const list = (count: number) => Array.from({ length: count }, () => createValid(items));
  const unmatched = pattern && NO_MATCH.find((text) => !new RegExp(pattern as string).test(text));
  const found: [string, unknown][] = [
    ['minimum', minimum === undefined ? undefined : (minimum as number) - 1],
    ['maximum', maximum === undefined ? undefined : (maximum as number) + 1],
    ['exclusiveMinimum', exclusiveMinimum],
    ['minLength', minLength ? 'x'.repeat((minLength as number) - 1) : undefined],
    ['maxLength', maxLength === undefined ? undefined : 'x'.repeat((maxLength as number) + 1)],
    ['pattern', unmatched],
    ['format', format && schema['type'] === 'string' ? 'not of this format' : undefined],
    ['enum', schema['enum'] && 'no-such-word'],
    ['const', schema['const'] && 'no-such-word'],
    ['minItems', minItems ? list((minItems as number) - 1) : undefined],
    [
      'maxItems',
      maxItems === undefined || maxItems > MOST_ITEMS ? undefined : list((maxItems as number) + 1),
    ],
    ['minProperties', minProperties ? {} : undefined],
    ['type', schema['type'] === 'object' ? 'no object' : undefined],
  ];
  return found.filter(([, value]) => value !== undefined);
}

/** Returns the violations of a parameter itself, not of its items, and none where an alternative may accept it. */
const listOwnViolations = (schema: TSchema) =>
  listPlaces(schema)
    .filter(({ inUnion, path }) => !inUnion && path.length === 0)
    .flatMap((place) => listViolations(place.schema));

/** Returns undefined when the request is refused by the path of the member. */
async function check(route: Route, change: Partial<Request>, path: Path): Promise<unknown> {
  const request = { ...createOwnRequest(world, route), ...change };
  const response = await send(app, `${route.method} ${request.url}` as 'GET /', request);
  const text = await response.text();
  if (response.status === 400) {
    const { errors = [] } = JSON.parse(text);
    const isNamed = errors.some((error: { path: Path }) =>
      path.every((step, at) => String(error.path[at]) === String(step)),
    );
    if (isNamed) return undefined;
  }
  return `${response.status} ${text.slice(0, 200)}`;
}

test('the document uses every one of these keywords', () => {
  const used = ROUTES.flatMap((route) => {
    const body = getBody(route);
    const parameters = [...getParameters(route, 'query'), ...getParameters(route, 'path')];
    const schemas = parameters.map(({ schema }) => schema);
    return [...(body ? [body] : []), ...schemas].flatMap((schema) => listPlaces(schema));
  }).flatMap(({ schema }) => listViolations(schema).map(([keyword]) => keyword));
  expect(used.length).toBeGreaterThan(4000);
  expect([...new Set(used)].toSorted().join(' ')).toBe(
    'const enum exclusiveMinimum format maxItems maxLength maximum minItems minLength minProperties minimum pattern type',
  );
});

describe('what the document says of a value is enforced', () => {
  for (const route of ROUTES) {
    const body = getBody(route);
    const [query, segments] = [getParameters(route, 'query'), getParameters(route, 'path')];
    if (!body && query.length + segments.length === 0) continue;
    test(route.name, async () => {
      const found: unknown[] = [];
      const places = (body ? listPlaces(body) : []).filter(({ inUnion }) => !inUnion);
      for (const { path, schema } of sample(route.name, places, QUICK_PLACES)) {
        const violations = listViolations(schema);
        for (const [keyword, value] of sample(`${route.name} ${path.join('.')}`, violations, 2)) {
          const { body: own } = createOwnRequest(world, route);
          const change = { body: withValue(body!, own, path, value) };
          const wrong = await check(route, change, path);
          if (wrong) found.push([path.join('.'), keyword, wrong]);
        }
        for (const name of (schema['required'] ?? []) as string[]) {
          const { body: own } = createOwnRequest(world, route);
          const whole = withValue(body!, own, [...path, name], undefined);
          const wrong = await check(route, { body: whole }, [...path, name]);
          if (wrong) found.push([[...path, name].join('.'), 'required', wrong]);
        }
      }
      for (const { name, schema, required } of query) {
        for (const [keyword, value] of listOwnViolations(schema)) {
          const url = withParameter(createOwnRequest(world, route), name, value);
          const wrong = await check(route, { url }, [name]);
          if (wrong) found.push([name, keyword, wrong]);
        }
        if (!required) continue;
        const url = withoutParameter(createOwnRequest(world, route), name);
        const wrong = await check(route, { url }, [name]);
        if (wrong) found.push([name, 'required', wrong]);
      }
      for (const [at, { name, schema }] of segments.entries()) {
        // An empty one leads to another operation.
        for (const [keyword, value] of listOwnViolations(schema).filter(([, one]) => one !== '')) {
          const url = withSegment(createOwnRequest(world, route), route, at, value);
          const wrong = await check(route, { url }, [name]);
          if (wrong) found.push([name, keyword, wrong]);
        }
      }
      expect(found).toEqual([]);
    });
  }
});

describe('an operation takes the credentials that the document names', () => {
  const getCredential = (name: string, route: Route): Partial<Request> => {
    const { url, headers } = createOwnRequest(world, route);
    const [, token] = headers['authorization']!.split(' ');
    const account = Object.values(world.accounts).find((one) => one.token === token);
    const key = (account ?? world.accounts.owner).key;
    if (name === 'bearer') return { headers };
    if (name === 'cookie') return { headers: { cookie: `immich_access_token=${token}` } };
    if (name === 'api_key') return { headers: { 'x-api-key': key } };
    return { headers: {}, url: withParameter({ url, headers }, 'slug', world.links.assets) };
  };
  const isRefused = (text: string) =>
    /"message":"(?:A session is required|Elevated permission is required|Forbidden)"/.test(text);
  // The answer to HEAD has no text.
  for (const route of ROUTES.filter(({ method }) => method !== 'HEAD')) {
    const { security } = OPERATIONS.get(route.operationId);
    const names = security.map((one: object) => Object.keys(one)[0]);
    if (names.length === 0) {
      test(`${route.name}: none`, async () => {
        const { url } = createOwnRequest(world, route);
        const response = await send(app, `${route.method} ${url}` as 'GET /', {});
        expect(await response.text()).not.toContain('Authentication required');
      });
      continue;
    }
    test(route.name, async () => {
      expect(document.components.securitySchemes).toContainKeys(names);
      for (const name of ['bearer', 'cookie', 'api_key', 'shared_link_slug']) {
        await library.restore();
        const request = { ...createOwnRequest(world, route), ...getCredential(name, route) };
        const response = await send(app, `${route.method} ${request.url}` as 'GET /', request);
        const text = await response.text();
        const isTaken = ![401, 403].includes(response.status) || !isRefused(text);
        expect([name, isTaken, response.status]).toEqual([
          name,
          names.includes(name),
          response.status,
        ]);
      }
    });
  }
});
