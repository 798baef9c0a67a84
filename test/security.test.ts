import { beforeAll, describe, expect, test } from 'bun:test';
import { PERMISSIONS, type Permission } from '../src/access/permissions.ts';
import { sharedLinks } from '../src/db/tables/albums.ts';
import { useApp } from './support/database.ts';
import { send, seed, type TestUser } from './support/harness.ts';
import { unconnectedApp } from './contract/report.ts';

// Every route, asked by everyone. Nothing here knows what a route does: only who may call it. A new
// route is walked as soon as it exists.

type Route = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly permission: Permission | 'any' | undefined;
  readonly also: readonly Permission[];
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
  readonly needsSession: boolean;
  readonly needsPin: boolean;
  readonly needsProof: boolean;
};

const ROUTES: Route[] = unconnectedApp()
  .routes.filter(({ hooks }) => hooks.detail?.operationId)
  .map(({ method, path, hooks: { detail } }) => ({
    name: `${method} ${path}`,
    method,
    path,
    isOpen: Boolean(detail['x-open']),
    permission: detail['x-permission'],
    also: detail['x-also-permissions'] ?? [],
    isGuest: Boolean(detail['x-guest']),
    isAdmin: Boolean(detail['x-admin']),
    needsSession: Boolean(detail['x-session']),
    needsPin: Boolean(detail['x-unlocked']),
    needsProof: Boolean(detail['x-proof']),
  }));
const GUARDED = ROUTES.filter((route) => !route.isOpen);

const { database, app } = await useApp({}, { connections: 1 });
beforeAll(async () => {
  // The first account is the administrator that everything assumes to exist.
  await seed(database).user(['all'], { isAdmin: true });
});

type Privileges = { readonly isAdmin?: boolean };

const addAccount = (permissions: string[], over: Privileges = {}) =>
  seed(database).user(permissions, over);

const accounts = new Map<string, Promise<TestUser>>();

/** Returns the account with these permissions: for requests that are refused, or leave it as it is. */
function getAccount(permissions: string[], over: Privileges = {}): Promise<TestUser> {
  const name = JSON.stringify([permissions, over]);
  const account = accounts.get(name) ?? addAccount(permissions, over);
  accounts.set(name, account);
  return account;
}

type Who = { key?: string; token?: string; query?: string };

/** With ids that nobody has and a body that says nothing: only the guard can agree or refuse. */
async function ask({ method, path }: Route, { key, token, query = '' }: Who) {
  const filled = path.replace(/^\/api/, '').replaceAll(/:\w+/g, () => crypto.randomUUID());
  const response = await send(app, `${method} ${filled}${query}`, {
    headers: {
      ...(key && { 'x-api-key': key }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(method !== 'GET' && method !== 'HEAD' && { body: {} }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

/** Everything that does not help: all permissions but the one of the route, and not 'all'. */
const othersThan = (route: Route) =>
  PERMISSIONS.filter((permission) => permission !== 'all' && permission !== route.permission);

describe('AU-001: a request without a credential is refused', () => {
  for (const route of GUARDED) {
    test(`${route.name} → 401`, async () => {
      expect((await ask(route, {})).status).toBe(401);
    });
  }
});

describe('AU-002: an unknown key, token or link is refused', () => {
  for (const route of GUARDED) {
    test(`${route.name} → 401`, async () => {
      expect((await ask(route, { key: 'x' })).status).toBe(401);
      expect((await ask(route, { token: 'x' })).status).toBe(401);
      expect((await ask(route, { query: '?key=x' })).status).toBe(401);
    });
  }
});

describe('AU-003: a key without the permission is refused, and the error names the permission', () => {
  for (const route of GUARDED.filter(({ permission }) => permission !== 'any')) {
    test(`${route.name} → 403 ${route.permission}`, async () => {
      const user = await getAccount(othersThan(route), { isAdmin: true });
      // With a session beside it, so that nothing but the permission is missing.
      const reply = await ask(route, { key: user.key, token: user.token });
      expect(reply.status).toBe(403);
      // An answer to HEAD has no body to say it in.
      if (route.method !== 'HEAD') expect(reply.text).toContain(String(route.permission));
    });
  }
});

describe('AU-004, AU-005: a key with the permission or with all is accepted', () => {
  // The domain refuses operations of guests to accounts.
  const forAccounts = (route: Route) => !route.name.startsWith('GET /api/shared-links/me');
  for (const route of GUARDED.filter((route) => !route.needsPin && forAccounts(route))) {
    test(route.name, async () => {
      const exact = route.permission === 'any' ? 'tag.read' : route.permission!;
      for (const granted of [[exact, ...route.also], ['all']]) {
        // A session may be ended by what it asks for.
        const add = route.needsSession ? addAccount : getAccount;
        const { key, token } = await add(granted, { isAdmin: true });
        const { status } = await ask(route, route.needsSession ? { key, token } : { key });
        expect([401, 403]).not.toContain(status);
      }
    });
  }
});

describe('a key without a permission of what the route does indirectly is refused, and told it', () => {
  for (const route of GUARDED.filter(({ also }) => also.length > 0)) {
    test(`${route.name} → 403 ${route.also.join(', ')}`, async () => {
      for (const missing of route.also) {
        const others = PERMISSIONS.filter((one) => one !== 'all' && one !== missing);
        const user = await getAccount(others, { isAdmin: true });
        const { status, text } = await ask(route, { key: user.key, token: user.token });
        expect(status).toBe(403);
        expect(text).toContain(missing);
      }
    });
  }
});

describe('what decides who is who needs a login of the last minutes', () => {
  const provers = [
    'POST /api/admin/auth/unlink-all',
    'POST /api/admin/maintenance',
    'POST /api/admin/maintenance/postgres-upgrade',
    'POST /api/oauth/link',
  ];
  const routes = GUARDED.filter(({ needsProof }) => needsProof);

  test('exactly these operations, whatever they are asked for', () => {
    expect(routes.map(({ name }) => name).toSorted()).toEqual(provers);
  });

  for (const route of routes) {
    test(`${route.name} → 403`, async () => {
      const user = await addAccount(['all'], { isAdmin: true });
      await database.sql`update session set proven_at = null where user_id = ${user.id}`;
      const { status, text } = await ask(route, { token: user.token });
      expect([status, text]).toEqual([403, expect.stringContaining('proof_required')]);
    });
  }
});

describe('AU-007, CVE-2026-27833: an account that is no administrator is refused, also with all permissions', () => {
  for (const route of GUARDED.filter(({ isAdmin }) => isAdmin)) {
    test(`${route.name} → 403`, async () => {
      const user = await getAccount(['all']);
      expect((await ask(route, { key: user.key })).status).toBe(403);
      expect((await ask(route, { token: user.token })).status).toBe(403);
    });
  }
});

describe('a shared link is accepted by routes for guests only', () => {
  let link: Promise<string> | undefined;
  const addLink = async () => {
    const { id: ownerId } = await seed(database).user();
    const key = crypto.getRandomValues(new Uint8Array(50));
    const values = { ownerId, type: 'INDIVIDUAL', key, allowUpload: true } as const;
    await database.db.insert(sharedLinks).values(values);
    return `?key=${Buffer.from(key).toString('base64url')}`;
  };
  for (const route of GUARDED) {
    test(`${route.name}${route.isGuest ? '' : ' → 403'}`, async () => {
      const query = await (link ??= addLink());
      const { status } = await ask(route, { query });
      if (route.isGuest) expect(status).not.toBe(401);
      else expect(status).toBe(403);
    });
  }
});

describe('AU-012: a route that requires a session refuses a key', () => {
  for (const route of GUARDED.filter(({ needsSession }) => needsSession)) {
    test(`${route.name} → 403`, async () => {
      const user = await getAccount(['all'], { isAdmin: true });
      const reply = await ask(route, { key: user.key });
      expect(reply.status).toBe(403);
      expect(reply.text).toContain('A session is required');
    });
  }
});

describe('AU-013: Locked media require the PIN', () => {
  for (const route of GUARDED.filter(({ needsPin }) => needsPin)) {
    test(`${route.name} → 401`, async () => {
      const user = await seed(database).user(['all'], { isAdmin: true });
      const reply = await ask(route, { token: user.token });
      expect(reply.status).toBe(401);
      expect(reply.text).toContain('Elevated permission is required');
    });
  }
});

test('every permission of a route can be granted to a key', () => {
  const known = new Set<string>([...PERMISSIONS, 'any']);
  expect(GUARDED.filter(({ permission }) => !known.has(permission!))).toEqual([]);
});

test('exactly these routes need no credential', () => {
  expect(
    ROUTES.filter(({ isOpen }) => isOpen)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'GET /api/admin/maintenance/status',
    'GET /api/map/style/:file',
    'GET /api/oauth/mobile-redirect',
    'GET /api/public/config',
    'GET /api/public/config/defaults',
    'GET /api/server/config',
    'GET /api/server/features',
    'GET /api/server/media-types',
    'GET /api/server/ping',
    'GET /api/server/ready',
    'GET /api/server/version',
    'GET /api/server/version-history',
    'POST /api/admin/database-backups/start-restore',
    'POST /api/admin/maintenance/login',
    'POST /api/auth/admin-sign-up',
    'POST /api/auth/login',
    'POST /api/invitations/accept',
    'POST /api/invitations/open',
    'POST /api/oauth/authorize',
    'POST /api/oauth/backchannel-logout',
    'POST /api/oauth/callback',
  ]);
});
