import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, send } from '../../../test/support/harness.ts';
import { addStack, type Household, unlock } from '../../../test/support/household.ts';
import { listDifferences } from '../../../test/support/schema.ts';
import { assets } from '../../db/tables/assets.ts';
import { tagAssets, tags } from '../../db/tables/tags.ts';
import { AssetResponseDto } from './schemas.ts';

const { database, app, house } = await useHousehold();

const getAssetRow = async (id: string) =>
  (await database.db.select().from(assets).where(eq(assets.id, id)))[0]!;

test('GET /assets/:id returns every member of the response schema', async () => {
  const me = await seed(database).user(['all'], { name: 'Ada' });
  const id = await seed(database).asset({
    ownerId: me.id,
    fileName: 'IMG 1.HEIC',
    fileSize: 4_000_000_000,
    takenAt: new Date('2024-05-31T22:30:00.120Z'),
    localTakenAt: '2024-06-01 04:00:00.12',
    width: 3,
    height: 4,
    thumbhash: new Uint8Array([1, 2, 3]),
    isFavorite: true,
    exif: { city: 'Lisbon', rating: 4, fNumber: 1.8, description: 'x', timeZone: 'Asia/Kolkata' },
  });
  const { status, body } = await call(app, `GET /assets/${id.toUpperCase()}`, { as: me });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id,
    ownerId: me.id,
    owner: { id: me.id, name: 'Ada', email: me.email, avatarColor: 'primary' },
    type: 'IMAGE',
    originalFileName: 'IMG 1.HEIC',
    originalMimeType: 'image/heic',
    originalPath: '/2024/06/IMG 1.HEIC',
    fileCreatedAt: '2024-05-31T22:30:00.120Z',
    localDateTime: '2024-06-01T04:00:00.120Z',
    thumbhash: 'AQID',
    duration: null,
    visibility: 'timeline',
    isFavorite: true,
    isArchived: false,
    isTrashed: false,
    isOffline: false,
    livePhotoVideoId: null,
    stack: null,
    people: [],
    tags: [],
    width: 3,
    height: 4,
    exifInfo: {
      city: 'Lisbon',
      rating: 4,
      fNumber: 1.8,
      description: 'x',
      timeZone: 'Asia/Kolkata',
      fileSizeInByte: 4_000_000_000,
      make: null,
      latitude: null,
    },
  });
  const { sha1 } = await getAssetRow(id);
  expect(body.checksum).toBe(Buffer.from(sha1).toString('base64'));
});

test('GET /assets/:id returns the stack and the tags of the viewer', async () => {
  const me = await seed(database).user();
  const id = await seed(database).asset({ ownerId: me.id });
  const stackId = await addStack(database, me.id, id);
  await seed(database).asset({ ownerId: me.id, stackId, isStackChild: true });
  const [above] = await database.db
    .insert(tags)
    .values({ ownerId: me.id, value: 'Travel' })
    .returning();
  const [tag] = await database.db
    .insert(tags)
    .values({ ownerId: me.id, value: 'Travel/Japan', parentId: above!.id, color: '#00ff00' })
    .returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: id });
  const { body } = await call(app, `GET /assets/${id}`, { as: me });
  expect(body.stack).toEqual({ id: stackId, primaryAssetId: id, assetCount: 2 });
  expect(body.tags).toMatchObject([{ id: tag!.id, name: 'Japan', value: 'Travel/Japan' }]);
});

test('a response has exactly the members of its schema', async () => {
  for (const state of ['plain', 'live', 'stackChild', 'archived', 'video'] as const) {
    const path = `GET /assets/${house.ids[state]}` as const;
    for (const query of ['', '?slug=assets']) {
      const caller = query === '' ? { as: house.owner } : {};
      const { body } = await call(app, `${path}${query}`, caller);
      expect(listDifferences(AssetResponseDto, body)).toEqual([]);
    }
  }
  expect(listDifferences(AssetResponseDto, { sha256: 'x' })).toContain('.sha256 is extra');
});

// Access by id, on every route that takes one.
const ROUTES = ['', '/thumbnail', '/thumbnail?size=fullsize', '/original', '/video/playback'];

const join = (route: string, query: string) =>
  query === '' ? route : `${route}${route.includes('?') ? '&' : '?'}${query}`;

/** The files themselves are not there and not read: who gets at them is what matters here. */
async function head(path: `GET /${string}`, caller: Caller) {
  const response = await send(app, path, caller);
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? await response.json() : undefined };
}

describe('GET /assets/:id', () => {
  type State = keyof Household['ids'];
  const everyone = ['plain', 'archived', 'hidden', 'liveVideo'] as const;
  const cases: [string, string, () => Caller, readonly State[]][] = [
    ['the owner', '', () => ({ as: house.owner }), [...everyone, 'trashed']],
    ['a viewer of the Timeline', '', () => ({ as: house.viewer }), ['plain', 'liveVideo']],
    ['a member of the album', '', () => ({ as: house.member }), everyone],
    ['a guest of the album', 'slug=album', () => ({}), everyone],
    ['a guest of the assets', 'slug=assets', () => ({}), everyone],
    ['a guest of nothing', 'slug=empty', () => ({}), []],
    ['a stranger', '', () => ({ as: house.stranger }), []],
  ];
  for (const [who, query, caller, expected] of cases) {
    test(`${who} can read ${expected.join(', ') || 'nothing'}`, async () => {
      const states = [...everyone, 'locked', 'lockedArchive', 'trashed', 'lockedTrash'] as const;
      for (const state of states) {
        for (const route of ROUTES) {
          const path = `GET /assets/${house.ids[state]}${join(route, query)}` as const;
          const { status, body } = await head(path, caller());
          const seen = status !== 400;
          expect([who, state, route, seen]).toEqual([
            who,
            state,
            route,
            expected.includes(state as never),
          ]);
          if (!seen) expect(body?.message).toMatch(/^Not found or no asset\.\w+ access$/);
        }
      }
    });
  }

  test('returns a locked asset in an unlocked session only', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    for (const route of ROUTES) {
      const path = `GET /assets/${id}${route}` as const;
      expect((await head(path, { session: me })).status).toBe(400);
    }
    await unlock(database, me);
    const { body } = await call(app, `GET /assets/${id}`, { session: me });
    expect(body).toMatchObject({ id, visibility: 'locked', isArchived: false });
    for (const route of ROUTES.slice(1)) {
      const path = `GET /assets/${id}${route}` as const;
      expect((await head(path, { session: me })).status).not.toBe(400);
      expect((await head(path, { as: me })).status).toBe(400);
    }
  });

  test('returns the same error for an unknown and a foreign id', async () => {
    const unknown = await call(app, `GET /assets/${crypto.randomUUID()}`, { as: house.stranger });
    const foreign = await call(app, `GET /assets/${house.ids.plain}`, { as: house.stranger });
    expect(unknown).toMatchObject({ status: 400, body: foreign.body });
    expect((await call(app, 'GET /assets/1', { as: house.owner })).status).toBe(400);
  });

  test('returns 401 without credentials and 403 for a key without the permission', async () => {
    const weak = await seed(database).user(['album.read']);
    for (const route of ROUTES) {
      const path = `GET /assets/${house.ids.plain}${route}` as const;
      expect((await head(path, {})).status).toBe(401);
      expect((await head(path, { as: weak })).status).toBe(403);
    }
  });
});

/** The members that remain without metadata: no dates except the one that lists are sorted by. */
const PICTURE_MEMBERS = [
  'duration',
  'hasMetadata',
  'height',
  'id',
  'livePhotoVideoId',
  'localDateTime',
  'originalMimeType',
  'thumbhash',
  'type',
  'width',
];

test('hides favorites from other users, the owner from guests, and everything but the picture without metadata', async () => {
  const path = `GET /assets/${house.ids.favorite}` as const;
  expect((await call(app, path, { as: house.owner })).body.isFavorite).toBe(true);
  expect((await call(app, path, { as: house.viewer })).body.isFavorite).toBe(false);
  const shown = (await call(app, `${path}?slug=assets`)).body;
  expect(shown).toMatchObject({ originalFileName: 'a.jpg', exifInfo: { city: 'Lisbon' } });
  expect(shown.owner).toBeUndefined();
  const { body } = await call(app, `${path}?slug=pictures`);
  expect(body).toMatchObject({ id: house.ids.favorite, hasMetadata: false });
  expect(Object.keys(body).toSorted()).toEqual(PICTURE_MEMBERS);
  const text = JSON.stringify(body);
  for (const secret of [
    'Lisbon',
    'Canon',
    'a.jpg',
    house.owner.email,
    house.owner.id,
    'exifInfo',
  ]) {
    expect(text).not.toContain(secret);
  }
});

test('concurrent requests each return the asset they asked for', async () => {
  const ids = [house.ids.plain, house.ids.archived, house.ids.video, house.ids.live];
  const callers: Caller[] = [{ as: house.owner }, { as: house.member }, { as: house.stranger }];
  const replies = await Promise.all(
    ids.flatMap((id) => callers.map((caller) => call(app, `GET /assets/${id}`, caller))),
  );
  expect(replies.map((reply) => reply.body.id)).toEqual(ids.flatMap((id) => [id, id, undefined]));
});

describe('GET /assets/statistics', () => {
  const cases: [string, Caller['as'] | undefined, object][] = [
    ['', undefined, { images: 5, videos: 1, total: 6 }],
    ['visibility=timeline', undefined, { images: 4, videos: 1, total: 5 }],
    ['visibility=archive', undefined, { images: 1, videos: 0, total: 1 }],
    ['isFavorite=true', undefined, { images: 1, total: 1 }],
    ['isTrashed=true', undefined, { images: 1, total: 1 }],
  ];
  for (const [query, , expected] of cases) {
    test(`'${query}' counts the caller's own assets without locked ones`, async () => {
      const reply = await call(app, `GET /assets/statistics?${query}`, { as: house.owner });
      expect(reply).toMatchObject({ status: 200, body: expected });
    });
  }

  test('counts locked assets in an unlocked session with visibility=locked only', async () => {
    const me = await seed(database).user();
    await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const path = 'GET /assets/statistics' as const;
    expect((await call(app, `${path}?visibility=locked`, { session: me })).status).toBe(401);
    await unlock(database, me);
    expect((await call(app, path, { session: me })).body.total).toBe(0);
    expect((await call(app, `${path}?visibility=locked`, { session: me })).body.total).toBe(1);
    expect((await call(app, `${path}?visibility=locked`, { as: me })).status).toBe(401);
  });

  test('returns 401 without credentials and 403 for a guest or a key without the permission', async () => {
    const path = 'GET /assets/statistics' as const;
    expect((await call(app, path)).status).toBe(401);
    expect((await call(app, `${path}?slug=assets`)).status).toBe(403);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, path, { as: weak })).status).toBe(403);
  });
});
