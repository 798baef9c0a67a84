import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { listDifferences } from '../../../test/support/schema.ts';
import { assets } from '../../db/tables/assets.ts';
import { TimeBucketAssetResponseDto } from './schemas.ts';

const { database, app, house } = await useHousehold();

const MONTH = '2026-01-01';

/** Lists by both calls, which must agree in every test. */
async function listed(query: string, caller: Caller): Promise<string[]> {
  const buckets = await call(app, `GET /timeline/buckets?${query}`, caller);
  expect(buckets.status).toBe(200);
  const bucket = await call(app, `GET /timeline/bucket?timeBucket=${MONTH}&${query}`, caller);
  expect(bucket.status).toBe(200);
  const { id } = bucket.body as { id: string[] };
  expect(buckets.body).toEqual(id.length === 0 ? [] : [{ timeBucket: MONTH, count: id.length }]);
  expect(listDifferences(TimeBucketAssetResponseDto, bucket.body)).toEqual([]);
  for (const column of Object.values(bucket.body as Record<string, unknown[]>)) {
    expect(column).toHaveLength(id.length);
  }
  return house.getNames(id);
}

const TIMELINE = ['favorite', 'live', 'plain', 'stackChild', 'video'];
const LIBRARY = ['archived', ...TIMELINE];

describe('a listing returns exactly the assets that the caller may see', () => {
  const own: [string, string[]][] = [
    ['', LIBRARY],
    ['visibility=timeline', TIMELINE],
    ['visibility=archive', ['archived']],
    ['visibility=hidden', ['hidden', 'liveVideo']],
    ['isTrashed=true', ['trashed']],
    ['isTrashed=true&visibility=timeline', ['trashed']],
    ['isTrashed=true&visibility=archive', []],
    ['isFavorite=true', ['favorite']],
    ['isFavorite=true&visibility=archive', []],
    ['isFavorite=false&visibility=timeline', TIMELINE.filter((name) => name !== 'favorite')],
    ['visibility=timeline&withStacked=true', TIMELINE.filter((name) => name !== 'stackChild')],
    ['visibility=timeline&withPartners=true', [...TIMELINE, 'ofPartner'].sort()],
    ['visibility=timeline&bbox=-10,38,-9,39', ['favorite', 'plain', 'video']],
    ['visibility=timeline&bbox=170,38,-9,39', ['favorite', 'plain', 'video']],
    ['visibility=timeline&bbox=10,38,20,39', []],
    // As JavaScript prints 0.0000001.
    ['visibility=timeline&bbox=1e-7,38,20,39', []],
    [`personId=${crypto.randomUUID()}`, []],
    [`tagId=${crypto.randomUUID()}`, []],
  ];
  for (const [query, expected] of own) {
    test(`the owner with '${query}'`, async () => {
      expect(await listed(query, { as: house.owner })).toEqual(expected);
      expect(await listed(`${query}&order=asc`, { as: house.owner })).toEqual(expected);
    });
  }

  test('an album lists its members without locked, hidden and trashed ones', async () => {
    const query = `albumId=${house.albumId}`;
    for (const who of [house.owner, house.member]) {
      expect(await listed(query, { as: who })).toEqual(LIBRARY);
      expect(await listed(`${query}&visibility=timeline`, { as: who })).toEqual(TIMELINE);
    }
    expect(await listed(`${query}&isTrashed=true`, { as: house.owner })).toEqual(['trashed']);
    expect(await listed(`${query}&isTrashed=true`, { as: house.member })).toEqual([]);
  });

  test("a partner's timeline lists no archive and no favorites", async () => {
    const query = `userId=${house.owner.id}`;
    expect(await listed(query, { as: house.viewer })).toEqual(TIMELINE);
    expect(await listed(`${query}&isTrashed=true`, { as: house.viewer })).toEqual([]);
    expect(await listed(`${query}&isFavorite=true`, { as: house.viewer })).toEqual([]);
    expect(await listed('', { as: house.viewer })).toEqual([]);
    const { body } = await call(
      app,
      `GET /timeline/bucket?timeBucket=${MONTH}&userId=${house.owner.id}`,
      { as: house.viewer },
    );
    expect(new Set(body.isFavorite)).toEqual(new Set([false]));
  });

  test('filtering an album by favorites does not reveal the favorites of its owner', async () => {
    const query = `albumId=${house.albumId}`;
    const all = await listed(query, { as: house.member });
    expect(await listed(`${query}&isFavorite=true`, { as: house.owner })).toEqual(['favorite']);
    expect(await listed(`${query}&isFavorite=true`, { as: house.member })).toEqual([]);
    expect(await listed(`${query}&isFavorite=false`, { as: house.member })).toEqual(all);
    expect(await listed('slug=album&isFavorite=false', {})).toEqual(LIBRARY);
  });

  test('a guest receives what the link shows', async () => {
    expect(await listed('slug=assets', {})).toEqual(LIBRARY);
    expect(await listed('slug=album', {})).toEqual(LIBRARY);
    expect(await listed(`slug=album&albumId=${house.albumId}`, {})).toEqual(LIBRARY);
    expect(await listed('slug=empty', {})).toEqual([]);
    expect(await listed('slug=assets&isTrashed=true', {})).toEqual([]);
    expect(await listed('slug=assets&visibility=hidden', {})).toEqual([]);
    expect(await listed('slug=assets&isFavorite=true', {})).toEqual([]);
  });

  test('a guest of a link without metadata receives no places', async () => {
    const path = `GET /timeline/bucket?timeBucket=${MONTH}&withCoordinates=true` as const;
    const shown = await call(app, `${path}&slug=assets`);
    expect(shown.body.city).toContain('Lisbon');
    expect(shown.body.latitude).toContain(38.7);
    const bare = await call(app, `${path}&slug=pictures`);
    expect(bare.body.id).toHaveLength(LIBRARY.length);
    for (const name of ['city', 'country', 'latitude', 'longitude']) {
      expect(new Set(bare.body[name])).toEqual(new Set([null]));
    }
    expect(await listed('slug=pictures&bbox=-10,38,-9,39', {})).toEqual([]);
  });

  test('locked assets are listed in an unlocked session only', async () => {
    const query = 'visibility=locked';
    await unlock(database, house.stranger);
    expect(await listed(query, { session: house.stranger })).toEqual([]);
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id, lockedAt: new Date() });
    expect((await call(app, `GET /timeline/buckets?${query}`, { session: me })).status).toBe(401);
    await unlock(database, me);
    expect(await listed(query, { session: me })).toEqual([id]);
    expect(await listed('', { session: me })).toEqual([]);
    // A key alone carries no PIN.
    expect((await call(app, `GET /timeline/buckets?${query}`, { as: me })).status).toBe(401);
  });
});

describe('refusals', () => {
  const cases: [string, string, () => Caller, number][] = [
    ['no credentials', '', () => ({}), 401],
    ['an album without access to it', 'albumId=ALBUM', () => ({ as: house.stranger }), 400],
    ['the album of another link', 'albumId=ALBUM&slug=assets', () => ({}), 400],
    ['an account through a link', 'userId=OWNER&slug=assets', () => ({}), 400],
    ['the Timeline of another user', 'userId=OWNER', () => ({ as: house.stranger }), 400],
    [
      'the archive of a partner',
      'userId=OWNER&visibility=archive',
      () => ({ as: house.viewer }),
      400,
    ],
    ['partners without visibility=timeline', 'withPartners=true', () => ({ as: house.owner }), 400],
    ['locked assets without the PIN', 'visibility=locked', () => ({ as: house.owner }), 401],
    ['locked assets through a link', 'visibility=locked&slug=assets', () => ({}), 401],
    ['a box beyond the Earth', 'bbox=0,0,500,1', () => ({ as: house.owner }), 400],
    ['an invalid boolean', 'isFavorite=maybe', () => ({ as: house.owner }), 400],
  ];
  for (const [name, query, caller, status] of cases) {
    test(`${name} → ${status}`, async () => {
      const filled = query.replace('ALBUM', house.albumId).replace('OWNER', house.owner.id);
      expect((await call(app, `GET /timeline/buckets?${filled}`, caller())).status).toBe(status);
      const bucket = `GET /timeline/bucket?timeBucket=${MONTH}&${filled}` as const;
      expect((await call(app, bucket, caller())).status).toBe(status);
    });
  }

  test('a key without the permission → 403', async () => {
    const reader = await seed(database).user(['album.read']);
    const reply = await call(app, 'GET /timeline/buckets', { as: reader });
    expect(reply.status).toBe(403);
    expect(reply.body.message).toContain('asset.read');
  });
});

test('the columns of a bucket have the values of its assets', async () => {
  const me = await seed(database).user();
  const videoId = await seed(database).asset({ ownerId: me.id, visibility: 'hidden' });
  const id = await seed(database).asset({
    ownerId: me.id,
    liveVideoId: videoId,
    isFavorite: true,
    takenAt: new Date('2024-05-31T22:30:00.120Z'),
    localTakenAt: '2024-06-01 04:00:00.12',
    width: 4000,
    height: 3000,
    durationMs: 1500,
    thumbhash: new Uint8Array([1, 2, 3]),
    exif: { city: 'São "João"', country: null, latitude: 1.5, longitude: -2.25 },
  });
  const { body, headers } = await call(
    app,
    'GET /timeline/bucket?timeBucket=2024-06-01T00:00:00.000Z&withCoordinates=true&withStacked=true',
    { as: me },
  );
  expect(headers.get('content-type')).toContain('application/json');
  expect(body).toMatchObject({
    id: [id],
    ownerId: [me.id],
    ratio: [1.333],
    isFavorite: [true],
    visibility: ['timeline'],
    isTrashed: [false],
    isImage: [true],
    thumbhash: ['AQID'],
    fileCreatedAt: ['2024-05-31T22:30:00.120Z'],
    localOffsetHours: [5.5],
    duration: [1500],
    projectionType: [null],
    livePhotoVideoId: [videoId],
    city: ['São "João"'],
    country: [null],
    latitude: [1.5],
    longitude: [-2.25],
    stack: [null],
  });
  expect(body.createdAt[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const may = await call(app, 'GET /timeline/bucket?timeBucket=2024-05-01', { as: me });
  expect(may.body.id).toEqual([]);
  for (const [bucket, status] of [
    ['2024-06-15', 200],
    ['012345-01-01', 200],
    ['%2B012345-02-28T00:00:00.000Z', 200],
    ['12345-02-29', 400],
    ['2024-02-30', 400],
    ['may', 400],
  ] as const) {
    const reply = await call(app, `GET /timeline/bucket?timeBucket=${bucket}`, { as: me });
    expect([bucket, reply.status, reply.body.id]).toEqual([
      bucket,
      status,
      status === 200 ? [] : undefined,
    ]);
  }
});

test('items are listed newest first, or oldest first on request', async () => {
  const me = await seed(database).user();
  const add = (day: number) =>
    seed(database).asset({ ownerId: me.id, takenAt: new Date(Date.UTC(2020, 1, day)) });
  const [second, third, first] = [await add(2), await add(3), await add(1)];
  await seed(database).asset({ ownerId: me.id, takenAt: new Date('2021-03-01') });
  const of = async (query: string) => {
    const path = `GET /timeline/bucket?timeBucket=2020-02-01${query}` as const;
    return (await call(app, path, { as: me })).body.id;
  };
  expect(await of('')).toEqual([third, second, first]);
  expect(await of('&order=asc')).toEqual([first, second, third]);
  const months = async (query: string) =>
    (await call(app, `GET /timeline/buckets${query}`, { as: me })).body.map(
      (bucket: { timeBucket: string }) => bucket.timeBucket,
    );
  expect(await months('')).toEqual(['2021-03-01', '2020-02-01']);
  expect(await months('?order=asc')).toEqual(['2020-02-01', '2021-03-01']);
  // By the time they were added, all are of the same month.
  expect(await months('?orderBy=createdAt')).toHaveLength(1);
});

test('the ETag of a month changes with every change, and a matching one returns 304', async () => {
  const me = await seed(database).user();
  const path = 'GET /timeline/bucket?timeBucket=2026-01-01' as const;
  const read = async (tag?: string) => {
    const headers: Record<string, string> = tag ? { 'if-none-match': tag } : {};
    return call(app, path, { as: me, headers });
  };
  const tags = new Set<string>();
  let last = (await read()).headers.get('etag')!;
  tags.add(last);
  const id = await seed(database).asset({ ownerId: me.id });
  const changes: Partial<typeof assets.$inferInsert>[] = [
    { isFavorite: true },
    { isFavorite: false },
    { isFavorite: true },
    { visibility: 'archive' },
    { visibility: 'timeline' },
    { thumbhash: new Uint8Array([9]) },
    { updatedAt: new Date() },
    { lockedAt: new Date() },
    { lockedAt: null },
    { trashedAt: new Date() },
  ];
  for (const change of [undefined, ...changes]) {
    if (change) await database.db.update(assets).set(change).where(eq(assets.id, id));
    const changed = await read(last);
    expect(changed.status).toBe(200);
    last = changed.headers.get('etag')!;
    expect(tags.has(last)).toBe(false);
    tags.add(last);
    expect(await read(last)).toMatchObject({ status: 304, body: undefined });
    // The cached response is the same.
    expect((await read()).body).toEqual(changed.body);
  }
  // Another month does not matter.
  await seed(database).asset({ ownerId: me.id, takenAt: new Date('2020-05-05') });
  expect((await read(last)).status).toBe(304);
});
