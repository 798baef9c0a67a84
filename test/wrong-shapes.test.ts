import { beforeAll, describe, expect, test } from 'bun:test';
import type { TSchema } from 'elysia';
import { DEFAULTS, OWN_DEFAULTS } from '../src/areas/system-config/index.ts';
import { toZod } from '../src/http/zod-schema.ts';
import { unconnectedApp } from './contract/report.ts';
import { useApp } from './support/database.ts';
import { call, seed, type TestUser } from './support/harness.ts';
import { unlock } from './support/household.ts';
import { sample } from './support/sample.ts';

// Every member of every body and every parameter, with values of other types. Nothing is converted or
// ignored: the response is 400 with the path of the member.

const { database, app } = await useApp();
let user: TestUser;
beforeAll(async () => {
  user = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, user);
});

type Path = readonly (string | number)[];
type Place = { readonly path: Path; readonly schema: TSchema };

const ROUTES = unconnectedApp()
  .routes.filter(({ hooks }) => hooks.detail?.operationId && hooks.schemas)
  .map(({ method, path, hooks }) => ({
    name: `${method} ${path.replace('/api', '')}`,
    params: Object.entries<TSchema>(hooks.schemas.params?.properties ?? {}),
    query: Object.entries<TSchema>(hooks.schemas.query?.properties ?? {}),
    body: hooks.schemas.body as TSchema | undefined,
  }));

const READING = { from: 'json', refusesUnknown: false } as const;
const WRONG = ['1', 5, true, [], {}, ['a text']];

/** The members of an object, of the objects in its lists, and so on. */
function placesIn(schema: TSchema, path: Path = [], depth = 0): Place[] {
  const here = path.length > 0 ? [{ path, schema }] : [];
  if (depth > 4) return here;
  const choices = ((schema['anyOf'] as TSchema[] | undefined) ?? [schema]).filter(
    ({ type, items, properties }) => (type === 'array' ? items : properties),
  );
  // A value that matches no member of a union is refused as a whole.
  if (choices.length > 1) return here;
  const below = choices.flatMap((choice) => {
    const items = choice['items'] as TSchema | undefined;
    if (items) return placesIn(items, [...path, 0], depth + 1);
    return Object.entries<TSchema>(choice['properties'] ?? {}).flatMap(([name, member]) =>
      placesIn(member, [...path, name], depth + 1),
    );
  });
  return [...here, ...below];
}

/** A body that has nothing but the value at that place. */
const bodyWith = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );

/** Bodies with so many required members that the first errors would say nothing of the wrong one. */
const COMPLETE: Readonly<Record<string, object>> = {
  'PUT /system-config': DEFAULTS,
  'PUT /admin/config': DEFAULTS,
  'PUT /admin/config/safelight': OWN_DEFAULTS,
};

/** The complete body with the value at that place. */
function replaceMember(body: object, path: Path, value: unknown): unknown {
  const changed = structuredClone(body) as Record<string | number, unknown>;
  const parent = path.slice(0, -1).reduce((at, step) => at[step] as typeof changed, changed);
  parent[path.at(-1)!] = value;
  return changed;
}

const caller = () => ({ session: user });
const filled = ({ name, params }: (typeof ROUTES)[number]) =>
  name.replaceAll(/:(\w+)/g, (_, parameter) => {
    const words = params.find(([name]) => name === parameter)?.[1]['enum'];
    return words?.[0] ?? crypto.randomUUID();
  });
const isBelow = (path: Path, given: Path) => path.every((step, at) => given[at] === step);

/** A quick run tries so many members of a body. */
const QUICK_PLACES = 24;

describe('a member of another type returns 400 with its path', () => {
  for (const route of ROUTES.filter(({ body }) => body)) {
    const { name, body } = route;
    test(name, async () => {
      for (const { path, schema } of sample(name, placesIn(body!), QUICK_PLACES)) {
        const type = toZod(schema, READING);
        const wrong = WRONG.filter((value) => !type.safeParse(value).success);
        for (const value of sample(`${name} ${path.join('.')}`, wrong, 2)) {
          const complete = COMPLETE[name];
          const given = complete ? replaceMember(complete, path, value) : bodyWith(path, value);
          const reply = await call(app, filled(route) as 'POST /', { ...caller(), body: given });
          const named = reply.body?.errors?.some((error: { path: Path }) =>
            isBelow(path, error.path),
          );
          expect([path, value, reply.status, named]).toEqual([path, value, 400, true]);
        }
      }
    });
  }
});

const NUMERALS = ['1e2', '0x10', '%201', '1%20', '%2B1', '01', '', 'x', '1.5.1', 'Infinity'];
const FLAGS = ['1', '0', 'TRUE', 'yes', '', 'x'];
const INSTANTS = ['2024-02-30T00:00:00Z', '2024-02-29T00:00:00', '2024-02-29', '1709200000', ''];
const DAYS = ['2024-02-30', '2023-02-29', '2024-2-1', '2024-02-29T00:00:00Z', ''];

function misspellings(schema: TSchema): readonly string[] {
  const choices = ((schema['anyOf'] as TSchema[] | undefined) ?? [schema]).filter(
    ({ type }) => type !== 'null',
  );
  const types = new Set(choices.map(({ type }) => type));
  const isNullable = (schema['anyOf'] as TSchema[] | undefined)?.some(
    ({ type }) => type === 'null',
  );
  if (schema['format'] === 'date-time') return INSTANTS;
  if (schema['format'] === 'date') return DAYS;
  if (types.has('integer') || types.has('number')) {
    return NUMERALS.filter((text) => text !== '' || !isNullable);
  }
  return types.has('boolean') ? FLAGS : [];
}

describe('a malformed parameter returns 400 with its name', () => {
  for (const route of ROUTES) {
    const { name, query } = route;
    const spelled = query.filter(([, schema]) => misspellings(schema).length > 0);
    if (spelled.length === 0) continue;
    test(name, async () => {
      for (const [parameter, schema] of spelled) {
        for (const text of sample(`${name} ${parameter}`, misspellings(schema), 3)) {
          const url = `${filled(route)}?${parameter}=${text}`;
          const reply = await call(app, url as 'POST /', {
            ...caller(),
            ...(name.startsWith('GET') ? {} : { body: {} }),
          });
          const named = reply.body?.errors?.some(
            ({ path }: { path: Path }) => path[0] === parameter,
          );
          expect([url, reply.status, named]).toEqual([url, 400, true]);
        }
      }
    });
  }
});

test('a repeated parameter returns 400 with its name', async () => {
  const reply = await call(app, 'GET /people?page=1&page=2', caller());
  expect([reply.status, reply.body.errors[0].path]).toEqual([400, ['page']]);
});

describe('a text with NUL or a lone surrogate returns 400 with its path', () => {
  for (const route of ROUTES.filter(({ body }) => body)) {
    const { name, body } = route;
    test(name, async () => {
      const texts = placesIn(body!).filter(({ schema }) => schema['type'] === 'string');
      for (const { path } of texts) {
        for (const value of sample(`${name} ${path.join('.')}`, ['a\udc00b', '\0'], 1)) {
          const reply = await call(app, filled(route) as 'POST /', {
            ...caller(),
            body: bodyWith(path, value),
          });
          expect([path, reply.status, reply.body.errors?.[0]?.path]).toEqual([path, 400, path]);
        }
      }
    });
  }

  test('also in keys, in a query and in free-form metadata; a surrogate pair is accepted', async () => {
    for (const body of [{ items: [{ '\ud800': 1 }] }, { a: { b: ['\0'] } }]) {
      const reply = await call(app, 'PUT /assets/metadata', { ...caller(), body });
      expect([reply.status, reply.body.message]).toEqual([400, 'Validation failed']);
    }
    const query = await call(app, 'GET /search/person?name=a%00b', caller());
    expect([query.status, query.body.errors[0].path]).toEqual([400, ['name']]);
    // A pair is one character.
    const pair = await call(app, 'PUT /tags', { ...caller(), body: { tags: ['\ud83d\ude00'] } });
    expect(pair.status).toBe(200);
  });
});
