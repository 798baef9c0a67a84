import { afterAll, beforeAll, expect, test } from 'bun:test';
import { call, seed, type TestDatabase, testApp, testDatabase } from '../../../test/harness.ts';
import { PERMISSIONS } from '../../access/permissions.ts';
import { unconnectedApp } from '../../../test/contract/report.ts';
import type { App } from '../../app.ts';

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

type Route = Parameters<typeof call>[1];
const OURS =
  /^\/api\/(auth|sessions|api-keys|users|admin\/users|server|config|public|system-metadata|tags|stacks|partners|activities)(\/|$)/;

/** The operations of these areas, with an id that nobody has. */
const ROUTES = unconnectedApp()
  .routes.filter(({ path, hooks }) => OURS.test(path) && hooks.detail?.operationId)
  .map(({ method, path, hooks: { detail } }) => ({
    route: `${method} ${path.slice('/api'.length)}`.replaceAll(
      /:\w+/g,
      '6f1d0b9e-3c1a-4f4e-9d5a-0123456789ab',
    ) as Route,
    permission: detail['x-permission'] as string | undefined,
    isAdmin: Boolean(detail['x-admin']),
    needsSession: Boolean(detail['x-session']),
  }));
const CLOSED = ROUTES.filter(({ permission }) => permission);
const NAMED = CLOSED.filter(({ permission }) => permission !== 'any');
/** A body that no schema takes: what is asked here is who, not what. */
const bodyFor = (route: Route) => (/^(GET|DELETE) /.test(route) ? undefined : ['broken']);

test('there is something to walk over', () => {
  expect(CLOSED.length).toBeGreaterThan(45);
});

const attempt = (route: Route, caller: object) =>
  call(app, route, { ...caller, body: bodyFor(route) });

test.each(CLOSED)(
  'AU-001, AU-002: nobody and a wrong key are 401, whatever the body is: $route',
  async ({ route }) => {
    expect((await attempt(route, {})).status).toBe(401);
    expect((await attempt(route, { as: { key: 'wrong' } })).status).toBe(401);
    expect((await attempt(route, { session: { token: 'wrong' } })).status).toBe(401);
  },
);

test.each(NAMED)(
  'AU-003: a key without the permission is 403, and hears its name: $route',
  async ({ route, permission, needsSession }) => {
    const others = PERMISSIONS.filter((name) => name !== permission && name !== 'all');
    const weak = await seed(database).user(others, { isAdmin: true });
    const caller = needsSession ? { as: weak, session: weak } : { as: weak };
    expect(await attempt(route, caller)).toMatchObject({
      status: 403,
      body: { message: `Missing required permission: ${permission}` },
    });
  },
);

test.each(CLOSED)(
  'AU-004, AU-005: a key with exactly that permission, or with all, passes: $route',
  async ({ route, permission }) => {
    for (const held of [permission === 'any' ? 'tag.read' : permission!, 'all']) {
      const me = await seed(database).user([held], { isAdmin: true });
      const { status } = await attempt(route, { as: me, session: me });
      expect([401, 403]).not.toContain(status);
    }
  },
);

test.each(CLOSED.filter(({ isAdmin }) => isAdmin))(
  'AU-007: who is no administrator is 403, with all permissions: $route',
  async ({ route }) => {
    const me = await seed(database).user();
    expect((await attempt(route, { as: me })).status).toBe(403);
    expect((await attempt(route, { session: me })).status).toBe(403);
  },
);

test('every operation that names a permission names one that keys can hold', () => {
  const known = new Set<string>(PERMISSIONS);
  expect(NAMED.filter(({ permission }) => !known.has(permission!))).toEqual([]);
});
