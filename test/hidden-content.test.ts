import { beforeAll, describe, expect, test } from 'bun:test';
import { unconnectedApp } from './contract/report.ts';
import { useApp } from './support/database.ts';
import { call, type Caller, NOW, seed, send, type TestUser } from './support/harness.ts';
import { seedHiddenContent, setLockedContent } from './support/hidden-content.ts';
import { unlock } from './support/household.ts';
import type { Json } from './support/json.ts';

// Items that match content rules (preferences group lockedContent) are in no listing while the filter is on. The
// library has two of everything: one that a rule matches, and one that stays.

const { database, app } = await useApp({}, { connections: 1 });
let me: TestUser;
/** Items that the rules match. */
let hidden: readonly string[];
let ids: Record<string, string>;

beforeAll(async () => {
  me = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, me);
  ({ hidden, ids } = await seedHiddenContent(database, app, me));
});

const filter = (lockedContent: object) => setLockedContent(app, me, lockedContent);
const withFilter = async <T>(filterEnabled: boolean, work: () => Promise<T>): Promise<T> => {
  await filter({ filterEnabled });
  return work();
};

type Asked = readonly [route: Parameters<typeof call>[1], body?: object | undefined];
const ask = async ([route, body]: Asked): Promise<Json> => {
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!) as typeof route;
  const caller: Caller = { session: me, ...(body && { body }) };
  const reply = await call(app, path, caller);
  if (reply.status >= 300)
    throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
};
const hiddenIn = (body: unknown) => {
  const text = JSON.stringify(body ?? '');
  return hidden.filter((id) => text.includes(id));
};
const isFull = (body: unknown) => JSON.stringify(body ?? '').length > 2;

const BUCKET = 'timeBucket=2026-01-01';
const PLACE = 'bbox=-180,-85,180,85';

/** Every route that lists media of the caller, at least once. */
const LISTINGS: readonly Asked[] = [
  [`GET /timeline/bucket?${BUCKET}`],
  [`GET /timeline/bucket?${BUCKET}&visibility=timeline&withStacked=true`],
  ['GET /timeline/bucket?timeBucket=2024-02-01&visibility=timeline&withPartners=true'],
  [`GET /timeline/bucket?${BUCKET}&visibility=archive`],
  [`GET /timeline/bucket?${BUCKET}&visibility=locked`],
  [`GET /timeline/bucket?${BUCKET}&isTrashed=true`],
  [`GET /timeline/bucket?${BUCKET}&isFavorite=true`],
  [`GET /timeline/bucket?${BUCKET}&albumId={album}`],
  [`GET /timeline/bucket?${BUCKET}&tagId={top}`],
  [`GET /timeline/bucket?${BUCKET}&personId={person}`],
  [`GET /timeline/bucket?${BUCKET}&orderBy=createdAt`],
  [`GET /timeline/bucket?${BUCKET}&bbox=-10,30,0,50`],
  ['GET /activities?albumId={album}'],
  ['GET /albums/{album}/map-markers'],
  ['GET /map/assets?cell=0/0/0&albumId={album}'],
  ['GET /map/markers?isArchived=true&withPartners=true&withSharedAlbums=true'],
  ['GET /documents'],
  ['GET /documents?query=stadtwerke'],
  ['GET /duplicates'],
  ['GET /memories'],
  ['GET /memories/{memory}'],
  ['GET /search/cities'],
  ['GET /shared-links'],
  ['GET /shared-links/{link}'],
  ['GET /stacks'],
  ['GET /trash/items'],
  ['GET /trash/items?query=a'],
  ['POST /download/info', { albumId: '{album}' }],
  ['POST /download/info', { userId: '{me}' }],
  ['POST /search/metadata', {}],
  ['POST /search/metadata', { visibility: 'archive' }],
  ['POST /search/metadata', { visibility: 'locked' }],
  ['POST /search/metadata', { withDeleted: true, trashedAfter: '2000-01-01T00:00:00Z' }],
  ['POST /search/metadata', { originalFileName: 'a' }],
  ['POST /search/random', { size: 100 }],
  ['POST /search/ask', { query: 'porto' }],
  ['POST /search/sorted', { sort: 'recentlyAdded' }],
  ['POST /search/large-assets'],
  ['POST /enrichment/moments/search', { query: 'cake' }],
];
const filled = ([route, body]: Asked): Asked => [
  route,
  body &&
    (JSON.parse(
      JSON.stringify(body).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!),
    ) as object),
];

describe('an item that a content rule hides', () => {
  for (const asked of LISTINGS) {
    const [route, body] = asked;
    test(`is not listed by ${route} ${body ? JSON.stringify(body) : ''}`, async () => {
      const off = await withFilter(false, () => ask(filled(asked)));
      expect(hiddenIn(off)).not.toEqual([]);
      const on = await withFilter(true, () => ask(filled(asked)));
      expect(hiddenIn(on)).toEqual([]);
    });
  }
});

const sumCounts = (list: { count: number }[]) => list.reduce((sum, { count }) => sum + count, 0);

/** Route, what is counted, without and with the filter. */
const COUNTS: readonly [Asked, (body: Json) => unknown, unknown, unknown][] = [
  [['GET /timeline/buckets?visibility=timeline'], sumCounts, 12, 6],
  [['GET /timeline/buckets?visibility=timeline&withStacked=true'], sumCounts, 10, 5],
  [['GET /timeline/buckets?visibility=timeline&withPartners=true'], sumCounts, 14, 7],
  [['GET /timeline/buckets'], sumCounts, 14, 7],
  [['GET /timeline/buckets?visibility=archive'], sumCounts, 2, 1],
  [['GET /timeline/buckets?visibility=locked'], sumCounts, 2, 1],
  [['GET /timeline/buckets?isTrashed=true'], sumCounts, 2, 1],
  [['GET /timeline/buckets?albumId={album}'], sumCounts, 14, 7],
  [['GET /timeline/buckets?tagId={top}'], sumCounts, 7, 0],
  [['GET /timeline/buckets?isFavorite=true'], sumCounts, 2, 1],
  [['GET /albums'], (body) => body[0].assetCount, 14, 7],
  [['GET /albums/{album}'], (body) => body.assetCount, 14, 7],
  [['GET /assets/statistics'], (body) => [body.images, body.videos], [12, 2], [6, 1]],
  [['GET /assets/statistics?visibility=locked'], (body) => body.total, 2, 1],
  [['GET /assets/statistics?isTrashed=true'], (body) => body.total, 2, 1],
  [['GET /assets/statistics?isFavorite=true'], (body) => body.total, 2, 1],
  [['GET /activities/statistics?albumId={album}'], (body) => body.comments, 2, 1],
  [['GET /documents'], (body) => body.total, 2, 1],
  [['GET /duplicates/summary'], (body) => Object.values(body)[0], 2, 1],
  [[`GET /map/clusters?zoom=3&${PLACE}`], (body) => sumCounts(body.clusters), 12, 6],
  [['GET /memories/{memory}'], (body) => body.assetCount, 2, 1],
  [['GET /memories/statistics'], (body) => body.total, 2, 1],
  [['GET /people'], (body) => body.total, 1, 1],
  [['GET /people/{person}/statistics'], (body) => body.assets, 2, 1],
  [['GET /pets'], (body) => body[0].assetCount, 2, 1],
  [['GET /search/cities/counts'], (body) => sumCounts(body), 14, 7],
  [
    ['GET /search/suggestions?type=city'],
    (body) => body.toSorted(),
    ['Faro', 'Lisbon', 'Porto'],
    ['Faro', 'Lisbon'],
  ],
  [
    ['GET /tags/statistics'],
    (body) => body.map((tag: { totalCount: number }) => tag.totalCount),
    [6, 6],
    [0, 0],
  ],
  [['GET /trash/items'], (body) => body.total, 2, 1],
  [['GET /view/folder/counts'], sumCounts, 12, 6],
  [['GET /trash/summary'], (body) => [body.items, body.sizeInBytes], [2, 2], [1, 1]],
  [['GET /users/me/calendar-heatmap?type=Taken'], (body) => body.totalCount, 14, 7],
  [['POST /search/statistics', {}], (body) => body.total, 14, 7],
  [['POST /search/histogram', {}], (body) => body.total, 14, 7],
  [['POST /search/facets', {}], (body) => body.total, 14, 7],
];

describe('a hidden item is not counted', () => {
  for (const [asked, counted, off, on] of COUNTS) {
    const [route, body] = asked;
    test(`by ${route} ${body ? JSON.stringify(body) : ''}`, async () => {
      expect(counted(await withFilter(false, () => ask(filled(asked))))).toEqual(off);
      expect(counted(await withFilter(true, () => ask(filled(asked))))).toEqual(on);
      // Cached responses are separate by filter state.
      expect(counted(await withFilter(false, () => ask(filled(asked))))).toEqual(off);
    });
  }
});

test('no GET route returns the id of a hidden item', async () => {
  await filter({ filterEnabled: true });
  const params: Record<string, string> = {
    albums: ids['album']!,
    assets: ids['plain']!,
    documents: ids['plain']!,
    memories: ids['memory']!,
    people: ids['person']!,
    'shared-links': ids['link']!,
    tags: ids['top']!,
  };
  const routes = unconnectedApp().routes.filter(
    ({ method, hooks }) => method === 'GET' && hooks.detail?.operationId,
  );
  const found: string[] = [];
  // Files of what is named by its id, which lie nowhere here.
  const lists = routes.filter(({ path }) => !/(original|playback|image)$/.test(path));
  for (const { path } of lists) {
    const [, area] = path.replace('/api', '').split('/') as [string, string];
    const url = path.replace('/api', '').replaceAll(/:\w+/g, params[area] ?? crypto.randomUUID());
    const query = `?albumId=${ids['album']!}&${BUCKET}&zoom=1&${PLACE}&cell=0/0/0`;
    for (const suffix of ['', query]) {
      const { body } = await call(app, `GET ${url}${suffix}` as 'GET /', { session: me });
      if (hiddenIn(body).length > 0) found.push(`${path}${suffix}`);
    }
  }
  // The rules themselves are no listing.
  expect(found).toEqual([]);
});

test('every search route is tested above', () => {
  const searches = unconnectedApp()
    .routes.map(({ method, path }) => `${method} ${path.replace('/api', '')}`)
    .filter((route) => /^POST (?!\/admin\/).*search/.test(route));
  const tried = [...LISTINGS, ...COUNTS.map(([asked]) => asked)].map(([route]) => route);
  // Ranked by a model, over what the other searches match; and what lists no items.
  const others = ['POST /search/smart', 'POST /search/saved'];
  expect(
    searches.filter((route) => !others.includes(route) && !tried.includes(route as never)),
  ).toEqual([]);
});

test('a hidden item is returned by its id, and rules do not apply to guests and album members', async () => {
  await filter({ filterEnabled: true });
  const [id] = hidden as [string];
  expect(isFull(await ask([`GET /assets/${id}` as 'GET /']))).toBe(true);
  const guest = await call(app, 'GET /shared-links/me?slug=some');
  expect(hiddenIn(guest.body)).toEqual([id]);
  const member = await seed(database).user();
  await database.sql`insert into album_user (album_id, user_id, role)
    values (${ids['album']!}, ${member.id}, 'viewer')`;
  const reply = await call(app, `GET /timeline/bucket?${BUCKET}&albumId=${ids['album']!}`, {
    as: member,
  });
  expect(hiddenIn(reply.body)).not.toEqual([]);
});

test('sync sends hidden items: rules do not change the stream', async () => {
  const copied = async () => {
    const body = { types: ['AssetsV2'], reset: true };
    const text = await (await send(app, 'POST /sync/stream', { session: me, body })).text();
    return hidden.filter((id) => text.includes(id)).length;
  };
  const without = await withFilter(false, copied);
  expect(without).toBeGreaterThan(5);
  expect(await withFilter(true, copied)).toBe(without);
});

test('the ETag of a bucket differs with and without the filter', async () => {
  const read = (headers: Record<string, string> = {}) =>
    call(app, `GET /timeline/bucket?${BUCKET}&visibility=timeline`, { session: me, headers });
  const getEtag = async (reply: ReturnType<typeof read>) => (await reply).headers.get('etag')!;
  const off = await withFilter(false, () => getEtag(read()));
  const again = await withFilter(true, () => read({ 'if-none-match': off }));
  expect(again.status).toBe(200);
  expect(hiddenIn(again.body)).toEqual([]);
  const on = again.headers.get('etag')!;
  expect((await read({ 'if-none-match': on })).status).toBe(304);
  // An item that is tagged later disappears, though its row has not changed.
  const [tag] = await database.sql`select id from tag where value = 'ex/trips'`;
  await database.sql`insert into tag_asset values (${tag!['id']}, ${ids['plain']!})`;
  const later = await read({ 'if-none-match': on });
  await database.sql`delete from tag_asset where asset_id = ${ids['plain']!}`;
  expect(later.status).toBe(200);
  expect(JSON.stringify(later.body)).not.toContain(ids['plain']!);
});

test('emptying the trash deletes only the items that it lists', async () => {
  const other = await seed(database).user();
  await unlock(database, other);
  const request = async (route: Parameters<typeof call>[1], body?: object) =>
    (await call(app, route, { session: other, ...(body && { body }) })).body;
  const [tag] = await request('PUT /tags', { tags: ['ex'] });
  for (const isHidden of [true, false]) {
    const id = await seed(database).asset({ ownerId: other.id, trashedAt: NOW });
    if (isHidden) await database.sql`insert into tag_asset values (${tag.id}, ${id})`;
  }
  const rules = [{ id: crypto.randomUUID(), kind: 'tag', targetId: tag.id }];
  const filterTrash = (lockedContent: object) =>
    request('PUT /users/me/preferences', { lockedContent });
  await filterTrash({ rules });
  const total = async () => (await request('GET /trash/items')).total;
  expect(await total()).toBe(2);
  await filterTrash({ filterEnabled: true });
  expect(await total()).toBe(1);
  expect(await request('POST /trash/empty')).toMatchObject({ count: 1 });
  expect(await total()).toBe(0);
  await filterTrash({ filterEnabled: false });
  expect(await total()).toBe(1);
});
