import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../test/support/database.ts';
import { call, seed, type TestUser } from '../../test/support/harness.ts';
import { unlock } from '../../test/support/household.ts';
import { unconnectedApp } from '../../test/contract/report.ts';
import type { Json } from '../../test/support/json.ts';
import { openApi } from './openapi.ts';

const { database, app } = await useApp();
const document: Json = openApi(unconnectedApp());
const OPERATIONS = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ method, path, operation })),
);
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, admin);
});

const send = (method: string, path: string, body?: object) => {
  const filled = path.replace('/api', '').replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  return call(app, `${method.toUpperCase()} ${filled}` as 'POST /', {
    session: admin,
    ...(body && { body }),
  });
};

test('a parameter with a default is not required', async () => {
  const names = OPERATIONS.flatMap(({ method, path, operation }) =>
    (operation.parameters ?? [])
      .filter(({ in: place, schema }: Json) => place === 'query' && schema?.default !== undefined)
      .map(({ name, required }: Json) => ({ method, path, name, required })),
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter(({ required }) => required)).toEqual([]);
});

test('a path has exactly the parameters that the document lists', () => {
  for (const { path, operation } of OPERATIONS) {
    const listed = (operation.parameters ?? []).filter((one: Json) => one.in === 'path');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect([path, listed.map(({ name }: Json) => name).join()]).toEqual([path, names.join()]);
  }
});

test('a list of unique items refuses a repeated one by name', async () => {
  const resolve = (schema: Json): Json =>
    schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  const lists = OPERATIONS.flatMap(({ method, path, operation }) => {
    const body = resolve(operation.requestBody?.content?.['application/json']?.schema);
    return Object.entries<Json>(body?.properties ?? {})
      .filter(([, schema]) => resolve(schema).uniqueItems)
      .map(([name, schema]) => ({ method, path, name, items: resolve(resolve(schema).items) }));
  });
  expect(lists.length).toBeGreaterThan(3);
  for (const { method, path, name, items } of lists) {
    const item = items.type === 'object' ? {} : crypto.randomUUID();
    const { status, body } = await send(method, path, { [name]: [item, item] });
    const isNamed = body.errors?.some(
      (error: Json) => error.path[0] === name && error.message === 'Array must have unique items',
    );
    expect([method, path, name, status, isNamed]).toEqual([method, path, name, 400, true]);
  }
});
