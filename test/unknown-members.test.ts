import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import type { App } from '../src/app.ts';
import { isExtension } from '../src/http/extensions.ts';
import { toZod } from '../src/http/zod-schema.ts';
import { t } from 'elysia';
import specification from './contract/operations.json' with { type: 'json' };
import { unconnectedApp } from './contract/report.ts';
import { useDatabase } from './support/database.ts';
import { call, seed, type TestUser, testApp } from './support/harness.ts';
import { unlock } from './support/household.ts';

// Our own operations refuse an unknown member by name: a misspelled one would have no effect. Immich's
// operations ignore it, since its clients send more than is documented.

const database = await useDatabase();
let app: App;
let user: TestUser;
beforeAll(async () => {
  await mkdir(database.deps.paths.incoming, { recursive: true });
  app = testApp(database);
  user = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, user);
});

const SPECIFIED = new Map(
  specification.operations.map(({ method, path, immich }) => [
    `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
    immich === 'absent',
  ]),
);

/** All operations with a body; the specification says which are ours, and the list of extensions the rest. */
const OPERATIONS = unconnectedApp()
  .routes.filter(({ hooks }) => hooks.schemas?.body && hooks.detail?.operationId)
  .map(({ method, path, hooks }) => {
    const name = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    const url = path.replaceAll(/:\w+/g, 'x');
    const isOurs = SPECIFIED.get(name.replaceAll(/\{\w+\}/g, '{}')) ?? isExtension({ method, url });
    return { name, isOurs, isOpen: Boolean(hooks.detail?.['x-open']) };
  });

test('the operations are those of both kinds, the searches among them', () => {
  const immich = OPERATIONS.filter(({ isOurs }) => !isOurs).map(({ name }) => name);
  for (const search of ['metadata', 'smart', 'random', 'statistics']) {
    expect(immich).toContain(`POST /api/search/${search}`);
  }
  expect(OPERATIONS.filter(({ isOurs }) => isOurs).length).toBeGreaterThan(20);
});

async function ask(name: string, caller: object) {
  const path = name.replace('/api', '').replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const { status, body } = await call(app, path as 'POST /', {
    ...caller,
    body: { surprise: true },
  });
  const unknown = body?.errors?.filter(
    ({ code }: { code: string }) => code === 'unrecognized_keys',
  );
  return { status, unknown: unknown?.map((error: { message: string }) => error.message) ?? [] };
}

describe('an unknown member of the body', () => {
  for (const { name, isOurs } of OPERATIONS) {
    test(`is ${isOurs ? 'refused by name' : 'ignored'}: ${name}`, async () => {
      const reply = await ask(name, { session: user });
      if (isOurs) expect(reply).toEqual({ status: 400, unknown: ['Unrecognized key: "surprise"'] });
      else expect(reply.unknown).toEqual([]);
    });
  }

  for (const { name } of OPERATIONS.filter(({ isOurs, isOpen }) => isOurs && !isOpen)) {
    test(`returns 401, and no error of the body, without a credential: ${name}`, async () => {
      expect((await ask(name, {})).status).toBe(401);
    });
  }
});

describe('a body that is not an object is refused, also if every member is optional', () => {
  for (const { name } of OPERATIONS) {
    test(name, async () => {
      const path = name.replace('/api', '').replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
      for (const body of [[], 1, 'text', true]) {
        const reply = await call(app, path as 'POST /', { session: user, body });
        // Routes that read their own stream declare their type.
        const isRefused = reply.status === 415 || (reply.status === 400 && reply.body.errors);
        expect([body, reply.status, Boolean(isRefused)]).toEqual([body, reply.status, true]);
      }
    });
  }
});

test('the error has the path of the unknown member at any depth', () => {
  const part = t.Object({ id: t.String(), of: t.Optional(t.Object({ x: t.Number() })) });
  const schema = t.Object({
    parts: t.Array(part),
    one: t.Nullable(part),
    either: t.Union([t.Object({ a: t.String() }), t.Object({ b: t.String() })]),
    open: t.Object({}, { additionalProperties: true }),
    record: t.Record(t.String(), t.Object({ y: t.Number() })),
  });
  const read = toZod(schema, { from: 'json', refusesUnknown: true });
  const unknownIn = (body: unknown) =>
    read
      .safeParse(body)
      .error?.issues.filter(({ code }) => code === 'unrecognized_keys')
      .map(({ path, message }) => [...path, message]) ?? [];
  const known = {
    parts: [{ id: 'a' }, { id: 'b', of: { x: 1 } }],
    one: null,
    either: { b: 'b' },
    open: { anything: 1 },
    record: { k: { y: 1 } },
  };
  expect(unknownIn(known)).toEqual([]);
  expect(unknownIn({ ...known, parts: [{ id: 'a' }, { id: 'b', of: { x: 1, z: 2 } }] })).toEqual([
    ['parts', 1, 'of', 'Unrecognized key: "z"'],
  ]);
  expect(unknownIn({ ...known, one: { id: 'a', q: 1 }, more: 2, most: 3 })).toEqual([
    ['one', 'Unrecognized key: "q"'],
    ['Unrecognized keys: "more", "most"'],
  ]);
  expect(read.safeParse({ ...known, either: { b: 'b', c: 1 } }).success).toBe(false);
  const polluted = JSON.parse('{"__proto__": {"a": 1}}');
  expect(unknownIn(polluted)).toEqual([['Unrecognized key: "__proto__"']]);
});
