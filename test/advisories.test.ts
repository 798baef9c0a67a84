import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { partners } from '../src/db/tables/identity.ts';
import { unconnectedApp } from './contract/report.ts';
import { useApp } from './support/database.ts';
import { call, type Caller, send, seed, type TestUser } from './support/harness.ts';
import type { Json } from './support/json.ts';
import { sample } from './support/sample.ts';

// Published vulnerabilities of comparable servers that concern more than one area.

const { database, app } = await useApp({}, { connections: 1 });

describe('CVE-2026-27885: a filter value is never part of the SQL text', () => {
  type Schema = { type?: string; anyOf?: Schema[]; items?: Schema; properties?: object };
  const routes = unconnectedApp()
    .routes.filter(({ hooks }) => hooks.detail?.operationId)
    .map(({ method, path, hooks }) => ({
      name: `${method} ${path}`,
      method,
      path: path.replace('/api', ''),
      query: Object.keys((hooks.schemas?.query as Schema | undefined)?.properties ?? {}),
      body: (hooks.schemas?.body as Schema | undefined)?.properties as
        Record<string, Schema> | undefined,
    }));
  const HOSTILE = [
    "' or '1'='1",
    "'); drop table asset; --",
    "2024-01-01' union select 1 --",
    String.raw`\'; select pg_sleep(9); --`,
    '1)) or ((1=1',
    '{"$gt": ""}',
    '%',
    '\u0000',
  ];
  const listable = routes.filter(
    // The file of the asset lies nowhere here.
    ({ method, path, query }) => method === 'GET' && query.length > 0 && !path.endsWith('original'),
  );
  // With a body that fits otherwise: every text of it in turn.
  const searches = routes.filter(({ method, path }) => method === 'POST' && /search/.test(path));

  let me: TestUser;
  let assetId: string;
  beforeAll(async () => {
    me = await seed(database).user(['all'], { isAdmin: true });
    assetId = await seed(database).asset({ ownerId: me.id });
  });
  const isAnswered = (status: number) => status < 500 || status === 503;
  const expectIntact = async () =>
    expect((await call(app, `GET /assets/${assetId}`, { as: me })).status).toBe(200);

  for (const { name, path, query } of listable) {
    test(`${name} answers without a server error: ${query.join(', ')}`, async () => {
      const url = path.replaceAll(/:\w+/g, assetId);
      const failed: string[] = [];
      for (const parameter of query) {
        for (const text of sample(`${path} ${parameter}`, HOSTILE, 3)) {
          const route = `GET ${url}?${parameter}=${encodeURIComponent(text)}`;
          const reply = await send(app, route, { as: me });
          await reply.arrayBuffer();
          if (!isAnswered(reply.status)) failed.push(`${route} → ${reply.status}`);
        }
      }
      expect(failed).toEqual([]);
      await expectIntact();
    });
  }

  for (const { name, path, body = {} } of searches) {
    test(`${name} answers without a server error: every member of the body`, async () => {
      const failed: string[] = [];
      for (const [member, schema] of Object.entries(body)) {
        for (const text of sample(`${path} ${member}`, HOSTILE, 3)) {
          const value = schema.type === 'array' ? [text] : text;
          const sent = { ...('query' in body && { query: 'x' }), [member]: value };
          const reply = await call(app, `POST ${path}` as 'POST /', { as: me, body: sent });
          if (!isAnswered(reply.status)) failed.push(`${member}: ${text} → ${reply.status}`);
        }
      }
      expect(failed).toEqual([]);
      await expectIntact();
    });
  }
});

describe('CVE-2026-45285: revoked access is revoked on every route', () => {
  const BUCKET = 'timeBucket=2026-01-01';
  let owner: TestUser;
  let viewer: TestUser;
  let assetId: string;
  let albumId: string;
  beforeEach(async () => {
    owner = await seed(database).user(['all'], { isAdmin: true });
    viewer = await seed(database).user();
    assetId = await seed(database).asset({
      ownerId: owner.id,
      exif: { latitude: 1, longitude: 2, city: 'Porto', country: 'Portugal' },
    });
    const album = { albumName: 'shown', assetIds: [assetId] };
    albumId = (await call(app, 'POST /albums', { as: owner, body: album })).body.id;
  });

  const asOwner = (route: string, body?: object) =>
    call(app, route as 'PUT /', { session: owner, ...(body && { body }) });

  type Ways = (caller: Caller) => readonly [string, object?][];
  const byId: Ways = () => [
    [`GET /assets/${assetId}`],
    [`GET /assets/${assetId}/metadata`],
    ['POST /download/info', { assetIds: [assetId] }],
  ];
  const ofAlbum: Ways = () => [
    [`GET /timeline/bucket?${BUCKET}&albumId=${albumId}`],
    [`GET /timeline/buckets?albumId=${albumId}`],
    [`GET /albums/${albumId}/map-markers`],
    [`GET /albums?assetId=${assetId}`],
    ['POST /download/info', { albumId }],
    ['POST /search/metadata', { albumIds: [albumId] }],
  ];
  const ofPartner: Ways = () => [
    [`GET /timeline/bucket?${BUCKET}&userId=${owner.id}`],
    [`GET /timeline/buckets?userId=${owner.id}`],
    [`GET /timeline/bucket?${BUCKET}&visibility=timeline&withPartners=true`],
    ['GET /map/markers?withPartners=true'],
    ['GET /search/cities'],
    ['POST /download/info', { userId: owner.id }],
    ['POST /search/metadata', {}],
    ['POST /search/random', {}],
  ];

  /** Routes that say something of the asset, of which none may after `end`. */
  async function expectEnd(ways: Ways, caller: Caller, end: () => Promise<unknown>) {
    const isShown = ({ status, body }: Awaited<ReturnType<typeof call>>) =>
      status < 300 && JSON.stringify(body).length > 2 && !isEmptyAnswer(body);
    const ask = ([route, body]: readonly [string, object?], headers = {}) => {
      const path = query(route, caller);
      return call(app, path as 'GET /', { ...caller, headers, ...(body && { body }) });
    };
    const tags = new Map<string, string>();
    const seen: string[] = [];
    for (const way of ways(caller)) {
      const reply = await ask(way);
      if (isShown(reply)) seen.push(way[0]);
      const etag = reply.headers.get('etag');
      if (etag) tags.set(way[0], etag);
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(await end()).toMatchObject({ status: expect.any(Number) });
    for (const way of ways(caller)) {
      const etag = tags.get(way[0]);
      for (const headers of [{}, etag ? { 'if-none-match': etag } : {}]) {
        const reply = await ask(way, headers);
        expect([way[0], reply.status === 304 || isShown(reply)]).toEqual([way[0], false]);
        expect(JSON.stringify(reply.body ?? '')).not.toContain(assetId);
      }
    }
  }
  const query = (route: string, { link }: Caller & { link?: string }) =>
    link ? `${route}${route.includes('?') ? '&' : '?'}${link}` : route;
  const isEmptyAnswer = (body: Json) =>
    body?.id?.length === 0 || body?.archives?.length === 0 || body?.assets?.total === 0;

  const share = () =>
    asOwner(`PUT /albums/${albumId}/users`, {
      albumUsers: [{ userId: viewer.id, role: 'viewer' }],
    });
  const pair = () =>
    database.db
      .insert(partners)
      .values({ sharerId: owner.id, viewerId: viewer.id, inTimeline: true });
  const both =
    (...ways: Ways[]): Ways =>
    (caller) =>
      ways.flatMap((list) => list(caller));

  const ENDS: readonly [string, () => Promise<unknown>][] = [
    [
      'the member was removed from the album',
      () => asOwner(`DELETE /albums/${albumId}/user/${viewer.id}`),
    ],
    [
      'the item was removed from the album',
      () => asOwner(`DELETE /albums/${albumId}/assets`, { ids: [assetId] }),
    ],
    ['the album was deleted', () => asOwner(`DELETE /albums/${albumId}`)],
    ['the item was trashed', () => asOwner('DELETE /assets', { ids: [assetId] })],
  ];
  for (const [name, end] of ENDS) {
    test(`of a member after ${name}`, async () => {
      await share();
      await expectEnd(both(byId, ofAlbum), { as: viewer }, end);
    });
  }

  const OF_PARTNERS: readonly [string, () => Promise<unknown>][] = [
    ['the partnership ended', () => asOwner(`DELETE /partners/${viewer.id}`)],
    ['the item was archived', () => asOwner(`PUT /assets/${assetId}`, { visibility: 'archive' })],
    ['the item was trashed', () => asOwner('DELETE /assets', { ids: [assetId] })],
    [
      'the account of the owner was removed',
      async () => {
        const admin = await seed(database).user(['all'], { isAdmin: true });
        return call(app, `DELETE /admin/users/${owner.id}`, { as: admin, body: {} });
      },
    ],
  ];
  for (const [name, end] of OF_PARTNERS) {
    test(`of a partner after ${name}`, async () => {
      await pair();
      await expectEnd(both(byId, ofPartner), { as: viewer }, end);
    });
  }

  test('of a guest after the shared link was deleted', async () => {
    const { body } = await asOwner('POST /shared-links', { type: 'ALBUM', albumId });
    expect((await asOwner('GET /shared-links')).body).toMatchObject([{ id: body.id }]);
    const ways: Ways = () => [
      [`GET /timeline/bucket?${BUCKET}`],
      [`GET /assets/${assetId}`],
      ['GET /shared-links/me'],
      [`GET /albums/${albumId}/map-markers`],
    ];
    await expectEnd(ways, { link: `key=${body.key}` } as Caller, () =>
      asOwner(`DELETE /shared-links/${body.id}`),
    );
  });

  test('of an API key and of a session after it was deleted', async () => {
    const made = await asOwner('POST /api-keys', { name: 'k', permissions: ['all'] });
    await expectEnd(both(byId), { as: { key: made.body.secret } }, () =>
      asOwner(`DELETE /api-keys/${made.body.apiKey.id}`),
    );
    const [session] = (await call(app, 'GET /sessions', { session: viewer })).body;
    await share();
    await expectEnd(both(byId, ofAlbum), { session: viewer }, () =>
      call(app, `DELETE /sessions/${session.id}`, { as: viewer }),
    );
  });
});

describe('CVE-2026-40096: names are returned unchanged, as JSON and never in a header', () => {
  const NAME = `"><script>alert(1)</script>\u202E=cmd|'/c calc'!A1`;

  test('of an album, a person, a tag and an account', async () => {
    const me = await seed(database).user();
    const ask = (route: string, body?: object) =>
      call(app, route as 'GET /', { session: me, ...(body && { body }) });
    await ask('POST /albums', { albumName: NAME, description: NAME });
    await ask('POST /people', { name: NAME });
    // A slash would begin another tag.
    await ask('POST /tags', { name: NAME.replaceAll('/', '|') });
    await ask('PUT /users/me', { name: NAME });
    for (const [route, getName] of [
      ['GET /albums', ([album]: [{ albumName: string }]) => album.albumName],
      [
        'GET /people?withHidden=true',
        ({ people: [person] }: { people: [{ name: string }] }) => person.name,
      ],
      ['GET /tags', ([tag]: [{ value: string }]) => tag.value],
      ['GET /users/me', ({ name }: { name: string }) => name],
    ] as const) {
      const reply = await ask(route);
      expect(reply.headers.get('content-type')).toStartWith('application/json');
      expect(getName(reply.body).replaceAll('|', '/')).toBe(NAME.replaceAll('|', '/'));
      // No header takes up what is written by people.
      for (const [, value] of reply.headers) expect(value).not.toContain('script');
    }
  });
});
