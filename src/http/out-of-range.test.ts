import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../test/support/database.ts';
import { call, seed, type TestUser } from '../../test/support/harness.ts';
import { unconnectedApp } from '../../test/contract/report.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
});

test('pages, sizes and numbers out of range are refused in every operation', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const numbered = unconnectedApp().routes.flatMap(({ method, path, hooks }) => {
    const isNumber = (schema: { type?: unknown; anyOf?: { type?: unknown }[] }): boolean =>
      schema.type === 'integer' || schema.type === 'number' || !!schema.anyOf?.some(isNumber);
    const names = Object.entries<object>(hooks.schemas?.query?.properties ?? {})
      .filter(([, schema]) => isNumber(schema))
      .map(([name]) => name);
    return names.map((name) => ({ method, path, name }));
  });
  expect(numbered.length).toBeGreaterThan(10);
  for (const { method, path, name } of numbered) {
    const filled = path.replace('/api', '').replaceAll(/:\w+/g, () => crypto.randomUUID());
    for (const value of ['1e308', '-1e308', '9007199254740993']) {
      const url = `${method} ${filled}?${name}=${value}` as 'GET /';
      const { status } = await call(app, url, { as: admin });
      expect([url, status < 500]).toEqual([url, true]);
    }
  }
});

const search = async (body: object) => {
  const reply = await call(app, 'POST /search/metadata', { as: me, body });
  const paths = reply.body.errors?.map(({ path }: { path: string[] }) => path.join('.'));
  return [reply.status, ...(paths ?? [])];
};

test('a value that no column can hold is refused by its name', async () => {
  for (const [body, path] of [
    [{ takenAfter: '0000-01-01T00:00:00Z' }, 'takenAfter'],
    [{ takenAfter: '0001-01-01T00:00:00+14:00' }, 'takenAfter'],
    [{ filter: { takenAt: { gte: '0000-01-01T00:00:00Z' } } }, 'filter.takenAt.gte'],
    [{ filter: { createdAt: { lt: '+275760-09-13T00:00:00Z' } } }, 'filter.createdAt.lt'],
    [{ filter: { rating: { gt: 1.5 } } }, 'filter.rating'],
    [{ filter: { fileSizeInBytes: { eq: 1e308 } } }, 'filter.fileSizeInBytes'],
  ] as const) {
    expect([body, await search(body)]).toEqual([body, [400, path]]);
  }
  for (const body of [
    { takenAfter: '0010-01-01T00:00:00Z' },
    { takenBefore: '9999-12-31T23:59:59+01:00' },
    { filter: { rating: { gt: 1 }, fileSizeInBytes: { lt: 2 ** 53 - 1 } } },
    { filter: { rating: { eq: 2 ** 31 } } },
    { filter: { rating: { in: [1.5, 2 ** 60] } } },
  ]) {
    expect([body, await search(body)]).toEqual([body, [200]]);
  }
});

test('a page beyond the limit is refused, also in a body; the last allowed one is empty', async () => {
  const searches = ['POST /search/metadata', 'POST /search/smart', 'POST /search/ask'] as const;
  for (const route of searches) {
    const words = route === 'POST /search/metadata' ? {} : { query: 'x' };
    const getStatus = async (over: object) =>
      (await call(app, route, { as: me, body: { ...words, ...over } })).status;
    for (const page of [1e308, -1e308, 2 ** 53, 1_000_001, 0, 1.5]) {
      expect([route, page, await getStatus({ page })]).toEqual([route, page, 400]);
    }
    for (const size of [1e308, 2 ** 53]) {
      expect([route, size, await getStatus({ size })]).toEqual([route, size, 400]);
    }
    expect([route, await getStatus({ page: 1_000_000, size: 1000 })]).toEqual([route, 200]);
  }
});
