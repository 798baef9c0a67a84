import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import type { Json } from '../../../test/support/json.ts';
import { silentLog } from '../../core/log.ts';
import { startListener } from '../../http/listener.ts';

const { database, app, house } = await useHousehold();

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: object = {}) => seed(database).asset({ ownerId, ...over });

async function upsert(as: TestUser, ...tags: string[]): Promise<Json[]> {
  const reply = await call(app, 'PUT /tags', { as, body: { tags } });
  expect(reply.status).toBe(200);
  return reply.body;
}
const values = async (as: TestUser): Promise<string[]> =>
  (await call(app, 'GET /tags', { as })).body.map((tag: { value: string }) => tag.value);

describe('who may', () => {
  const writes = (id: string, assetId: string) =>
    [
      [`GET /tags/${id}`, undefined, 'tag.read'],
      [`PUT /tags/${id}`, { name: 'mine now' }, 'tag.update'],
      [`DELETE /tags/${id}`, undefined, 'tag.delete'],
      [`PUT /tags/${id}/assets`, { ids: [assetId] }, 'tag.asset'],
      [`DELETE /tags/${id}/assets`, { ids: [assetId] }, 'tag.asset'],
    ] as const;

  test("ER-017: every operation returns the error of an unknown tag for someone else's", async () => {
    const [me, stranger] = [await user(), await user()];
    const [tag] = await upsert(me, 'secret');
    const id = await asset(stranger.id);
    const unknown = writes(crypto.randomUUID(), id);
    for (const [index, [route, body, permission]] of writes(tag.id, id).entries()) {
      const caller = { as: stranger, ...(body && { body }) };
      const foreign = await call(app, route, caller);
      expect(foreign).toMatchObject({
        status: 400,
        body: { message: `Not found or no ${permission} access` },
      });
      expect((await call(app, unknown[index]![0], caller)).body).toEqual(foreign.body);
    }
    expect(await values(me)).toEqual(['secret']);
    const links = await database.sql`select 1 from tag_asset where tag_id = ${tag.id}`;
    expect(links.length).toBe(0);
  });

  test('a shared link gives no access to tags', async () => {
    const [tag] = await upsert(house.owner, 'linked');
    for (const [route, body] of writes(tag.id, house.ids.plain)) {
      const caller = body ? { body } : {};
      expect((await call(app, `${route}?slug=assets`, caller)).status).toBe(403);
    }
    for (const route of ['GET /tags', 'GET /tags/statistics'] as const) {
      expect((await call(app, `${route}?slug=assets`)).status).toBe(403);
    }
    const body = { name: 'x' };
    expect((await call(app, 'POST /tags?slug=assets', { body })).status).toBe(403);
  });

  test('AU-003: a key without the permission gets 403 that names it', async () => {
    const reader = await user(['tag.read']);
    const reply = await call(app, 'POST /tags', { as: reader, body: { name: 'x' } });
    expect(reply).toMatchObject({
      status: 403,
      body: { message: 'Missing required permission: tag.create' },
    });
    const creator = await user(['tag.create']);
    expect((await call(app, 'GET /tags', { as: creator })).body.message).toContain('tag.read');
  });

  test('AU-004, AU-005: a key with exactly the permission, or with all, may', async () => {
    for (const permission of ['tag.read', 'all']) {
      expect((await call(app, 'GET /tags', { as: await user([permission]) })).status).toBe(200);
    }
    const me = await user(['tag.create']);
    const made = await call(app, 'POST /tags', { as: me, body: { name: 'x' } });
    expect(made.status).toBe(201);
  });
});

describe('what is refused', () => {
  test('ID-001: other versions, nil, max and no UUID at all are 400', async () => {
    const ids = [
      '6f1d0b9e-3c1a-1f4e-9d5a-0123456789ab',
      '018f0b9e-3c1a-7f4e-9d5a-0123456789ab',
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '1',
      'statistic',
    ];
    for (const id of ids) {
      const reply = await call(app, `GET /tags/${id}`, { as: house.owner });
      expect(reply).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
    }
  });

  test('ER-016, LM-037: a wrong body is told field by field, a huge one is 413', async () => {
    const listener = await startListener({
      fetch: (request) => app.handle(request),
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
    });
    try {
      const post = (body: string) =>
        fetch(`${listener.url}/api/tags`, {
          method: 'POST',
          headers: { 'x-api-key': house.owner.key, 'content-type': 'application/json' },
          body,
        });
      const wrong = await post(JSON.stringify({ name: 7, color: 'green' }));
      expect(wrong.status).toBe(400);
      expect(wrong.headers.get('x-correlation-id')).toBeTruthy();
      const told: Json = await wrong.json();
      expect(told).toMatchObject({ message: 'Validation failed' });
      expect(told.errors.map((error: { path: string[] }) => error.path)).toEqual(
        expect.arrayContaining([['name'], ['color']]),
      );
      for (const error of told.errors) {
        expect(error).toEqual({
          code: expect.any(String),
          path: expect.any(Array),
          message: expect.any(String),
        });
      }
      const huge = await post(JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) }));
      expect(huge.status).toBe(413);
      expect(await values(house.owner)).not.toContain('x');
    } finally {
      await listener.stop(50);
    }
  });

  test('a NUL in a name is a bad request, unknown members are ignored', async () => {
    const me = await user();
    const post = (body: object) => call(app, 'POST /tags', { as: me, body });
    expect((await post({ name: 'a\u0000b' })).status).toBe(400);
    expect((await post({ name: 'a', more: 1 })).status).toBe(201);
  });
});
