import * as sdk from '@immich/sdk';
import { beforeAll, describe, expect, test } from 'bun:test';
import { isExtension } from '../../src/http/extensions.ts';
import { openApi } from '../../src/http/openapi.ts';
import { unconnectedApp } from '../contract/report.ts';
import { useHousehold } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { addMemory } from '../support/memories.ts';

// Programs with generated code stop at a member that is missing, and at a value that they do not know.

const { database, app, house, me } = await useHousehold();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

type Route = Parameters<typeof call>[1];
const send = (route: string, as: TestUser, body?: object) =>
  call(app, route as Route, { as, ...(body && { body }) });

describe('values', () => {
  const document: Json = openApi(unconnectedApp());
  const KNOWN = new Map(
    Object.entries(sdk).flatMap(([name, values]) =>
      typeof values === 'object' ? [[name, new Set(Object.values(values).map(String))]] : [],
    ),
  );

  /** Returns the values below a schema that Immich's clients do not know, as enumeration: value. */
  function* listUnknown(schema: Json, seen: ReadonlySet<string>): Generator<string> {
    if (typeof schema !== 'object' || schema === null) return;
    const name = schema['$ref']?.split('/').at(-1);
    if (name !== undefined) {
      const found: Json = document.components.schemas[name];
      const known = KNOWN.get(name);
      for (const value of (known && found['enum']) ?? []) {
        if (!known!.has(String(value))) yield `${name}: ${value}`;
      }
      if (!seen.has(name)) yield* listUnknown(found, new Set([...seen, name]));
      return;
    }
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      for (const one of schema[key] ?? []) yield* listUnknown(one, seen);
    }
    yield* listUnknown(schema['items'], seen);
    for (const one of Object.values<Json>(schema['properties'] ?? {}))
      yield* listUnknown(one, seen);
  }

  test("524: answers of Immich's operations have only values that its clients know", () => {
    const found = new Set<string>();
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      const url = `http://localhost${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}`;
      for (const [method, { responses }] of Object.entries<Json>(methods)) {
        if (isExtension({ method: method.toUpperCase(), url })) continue;
        for (const { content } of Object.values<Json>(responses)) {
          for (const { schema } of Object.values<Json>(content ?? {})) {
            for (const one of listUnknown(schema, new Set())) found.add(one);
          }
        }
      }
    }
    // Only where the request asks for them: see 525.
    expect([...found].sort()).toEqual([
      'MemoryType: custom',
      'MemoryType: person',
      'MemoryType: pet',
      'MemoryType: place',
    ]);
  });

  test('525: memories of other types are listed and counted only for clients that ask for them', async () => {
    const { owner, ids } = house;
    for (const type of ['on_this_day', 'custom', 'place'] as const) {
      await addMemory(database, { ownerId: owner.id, type, isSaved: true }, [ids.plain]);
    }
    const list = async (query: string) => {
      const { body } = await send(`GET /memories?${query}`, owner);
      const { body: counted } = await send(`GET /memories/statistics?${query}`, owner);
      expect(counted).toEqual({ total: body.length });
      return body.map(({ type }: { type: string }) => type).sort();
    };
    expect(await list('')).toEqual(['on_this_day']);
    expect(await list('isSaved=true&order=asc&size=10')).toEqual(['on_this_day']);
    expect(await list('withAllTypes=false')).toEqual(['on_this_day']);
    expect(await list('type=custom')).toEqual(['custom']);
    expect(await list('withAllTypes=true')).toEqual(['custom', 'on_this_day', 'place']);
    const other = await send('GET /memories?withAllTypes=true', house.stranger);
    expect(other.body).toEqual([]);
  });
});

describe('albums', () => {
  const toRoles = (albumUsers: { role: string; user: { id: string } }[]) =>
    albumUsers.map(({ role, user }) => [role, user.id]);

  test('526: an album is copied with its users, of whom the first is the owner', async () => {
    const { owner, member } = house;
    const users = [{ userId: member.id, role: 'viewer' }];
    const first = await send('POST /albums', owner, { albumName: 'a', albumUsers: users });
    const roles = [
      ['owner', owner.id],
      ['viewer', member.id],
    ];
    expect(toRoles(first.body.albumUsers)).toEqual(roles);
    const copied: { role: string; user: { id: string } }[] = first.body.albumUsers;
    const albumUsers = copied.map(({ role, user }) => ({ role, userId: user.id }));
    const second = await send('POST /albums', owner, { albumName: 'b', albumUsers });
    expect([second.status, toRoles(second.body.albumUsers)]).toEqual([201, roles]);
  });

  test('527: nobody becomes a second owner, and no editor takes an album over', async () => {
    const { owner, member } = house;
    const message = 'Cannot add another owner';
    const editor = [{ userId: member.id, role: 'editor' }];
    const { body: album } = await send('POST /albums', owner, {
      albumName: 'a',
      albumUsers: editor,
    });
    const asOwner = { albumUsers: [{ userId: me.id, role: 'owner' }] };
    const tries = [
      await send('POST /albums', owner, { albumName: 'x', ...asOwner }),
      await send(`PUT /albums/${album.id}/users`, owner, asOwner),
      await send(`PUT /albums/${album.id}/users`, member, asOwner),
      await send(`PUT /albums/${album.id}/user/${member.id}`, member, { role: 'owner' }),
    ];
    for (const { status, body } of tries) expect([status, body]).toEqual([400, { message }]);
    const demote = await send(`PUT /albums/${album.id}/user/${owner.id}`, member, {
      role: 'viewer',
    });
    expect([demote.status, demote.body]).toEqual([400, { message: 'User is owner' }]);
    const remove = await send(`DELETE /albums/${album.id}/user/${owner.id}`, owner);
    expect([remove.status, remove.body]).toEqual([
      400,
      { message: 'Cannot remove the last album owner' },
    ]);
    const { body: read } = await send(`GET /albums/${album.id}`, owner);
    expect(toRoles(read.albumUsers)).toEqual([
      ['owner', owner.id],
      ['editor', member.id],
    ]);
  });

  test('528: an album is shared with its own owner without an error', async () => {
    const { owner } = house;
    const { body: album } = await send('POST /albums', owner, { albumName: 'a' });
    const albumUsers = [{ userId: owner.id, role: 'viewer' }];
    const { status, body } = await send(`PUT /albums/${album.id}/users`, owner, { albumUsers });
    expect([status, toRoles(body.albumUsers)]).toEqual([200, [['owner', owner.id]]]);
    const unknown = { albumUsers: [{ userId: crypto.randomUUID(), role: 'viewer' }] };
    const refused = await send(`PUT /albums/${album.id}/users`, owner, unknown);
    expect([refused.status, refused.body]).toEqual([400, { message: 'Invalid user' }]);
  });
});

describe('accounts and keys', () => {
  test('529: an address that is taken is refused in any case, also of a deleted account', async () => {
    const taken = house.viewer.email.toUpperCase();
    const used = { message: 'Email already in use by another account' };
    const own = await call(app, 'PUT /users/me', { session: me, body: { email: taken } });
    expect([own.status, own.body]).toEqual([400, used]);
    const session = { session: admin } as const;
    const changed = await call(app, `PUT /admin/users/${me.id}` as Route, {
      ...session,
      body: { email: taken },
    });
    expect([changed.status, changed.body]).toEqual([400, used]);
    const made = { email: taken, name: 'x', password: 'long enough 1' };
    const create = () => call(app, 'POST /admin/users', { ...session, body: made });
    expect(await create()).toMatchObject({ status: 400, body: { message: 'User exists' } });
    await call(app, `DELETE /admin/users/${house.viewer.id}` as Route, { ...session, body: {} });
    const again = await create();
    expect([again.status, again.body]).toEqual([400, { message: 'User exists' }]);
    // The own address in another case is no conflict.
    const same = { email: me.email.toUpperCase() };
    const kept = await call(app, 'PUT /users/me', { session: me, body: same });
    expect([kept.status, kept.body.email]).toEqual([200, me.email]);
  });

  test('544: a new key has the members of Immich 3.2, once on top and once in apiKey', async () => {
    const body = { name: '', permissions: ['asset.read'] };
    const made = await call(app, 'POST /api-keys', { session: me, body });
    const key = {
      id: expect.any(String),
      name: 'API Key',
      permissions: ['asset.read'],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    };
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ ...key, apiKey: key, secret: expect.any(String) });
    const listed = await call(app, `GET /api-keys/${made.body.id}` as Route, { session: me });
    expect(listed.body).toEqual(key);
    // A key neither makes nor refreshes one with more than it has.
    const weak = { ...me, key: made.body.secret };
    expect((await call(app, 'POST /api-keys', { as: weak, body })).status).toBe(403);
    const other = await call(app, `GET /api-keys/${made.body.id}` as Route, { as: house.stranger });
    expect([other.status, other.body]).toEqual([400, { message: 'API Key not found' }]);
  });
});
