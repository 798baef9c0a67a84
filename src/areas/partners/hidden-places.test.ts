import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { addAlbum, addLink, PLACE, sharePlace, TOLD } from '../../../test/support/hidden-places.ts';
import { emptyCopy, syncAll } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { originalPath } from '../../storage/stored-file.ts';

// Ada shares her Timeline with Bob and hides her places. Nothing that Bob creates with her pictures may
// reveal them to others: albums, links to albums and links to pictures.

const { database, app } = await useApp();

const user = (name: string) => seed(database).user(['all'], { name });
let ada: TestUser;
let bob: TestUser;
let eve: TestUser;
let id: string;
let videoId: string;
let albumId: string;
let query: { readonly picture: string; readonly album: string };

const hide = (hidesPlaces: boolean) =>
  call(app, `PUT /partners/${bob.id}`, { as: ada, body: { hidesPlaces } });

beforeEach(async () => {
  ({ ada, bob, eve, id, videoId, albumId, query } = await sharePlace(database, app));
});

type Asked = readonly [route: string, body?: object];
const ofAsset = (assetId: string): Asked[] => [[`GET /assets/${assetId}`]];
const BUCKET = 'timeBucket=2026-01-01&withCoordinates=true';
const ofAlbum = (id: string): Asked[] => [
  [`GET /timeline/bucket?${BUCKET}&albumId=${id}`],
  [`GET /albums/${id}/map-markers`],
];
/** Everything that tells a way in about the picture. */
const TELLING = {
  'a member of the album': () => [
    ...ofAsset(id),
    ...ofAsset(videoId),
    ...ofAlbum(albumId),
    ['GET /map/markers?withSharedAlbums=true'],
  ],
  'a link to the album': () => [
    ...ofAsset(id),
    ...ofAlbum(albumId),
    ['POST /search/metadata', { withExif: true, albumIds: [albumId] }],
  ],
  'a link to the picture': () => [
    ...ofAsset(id),
    ...ofAsset(videoId),
    [`GET /timeline/bucket?${BUCKET}`],
    ['GET /shared-links/me'],
  ],
} satisfies Record<string, () => Asked[]>;
type Way = keyof typeof TELLING;
const WAYS = Object.keys(TELLING) as Way[];

function throughWay(way: Way, [route, body]: Asked) {
  const given = { ...(body && { body }) };
  if (way === 'a member of the album') return call(app, route as 'GET /', { as: eve, ...given });
  const key = way === 'a link to the album' ? query.album : query.picture;
  const path = `${route}${route.includes('?') ? '&' : '?'}${key}`;
  return call(app, path as 'GET /', given);
}

/** Which of the answers tell it. */
async function telling(way: Way): Promise<string[]> {
  const found: string[] = [];
  for (const asked of TELLING[way]() as Asked[]) {
    const reply = await throughWay(way, asked);
    expect([asked[0], reply.status]).toEqual([asked[0], 200]);
    if (TOLD.test(JSON.stringify(reply.body))) found.push(asked[0]);
  }
  return found;
}

for (const way of WAYS) {
  test(`${way} that Bob made shows the place, but not while Ada hides it`, async () => {
    const all = (TELLING[way]() as Asked[]).map(([route]) => route);
    expect(await telling(way)).toEqual(all);
    await hide(true);
    expect(await telling(way)).toEqual([]);
    // Not the picture itself is withdrawn.
    const shown = await throughWay(way, [`GET /assets/${id}`]);
    expect(shown.body).toMatchObject({
      id,
      localDateTime: '2026-01-10T15:30:00.000Z',
      fileCreatedAt: '2026-01-10T15:30:00.000Z',
      isFavorite: false,
      exifInfo: { timeZone: null, city: null, latitude: null },
    });
    await hide(false);
    expect(await telling(way)).toEqual(all);
  });

  test(`${way} serves the original only while the place is shown`, async () => {
    const asked: Asked[] = [
      [`GET /assets/${id}/original`],
      [`GET /assets/${id}/thumbnail?size=original`],
      [`GET /assets/${id}/thumbnail?size=fullsize`],
      ['POST /download/archive', { assetIds: [id] }],
      ['POST /download/info', { assetIds: [id] }],
    ];
    const [row] = await database.sql`
      select encode(sha256, 'hex') as sha256 from asset where id = ${id}`;
    const path = originalPath(database.deps.paths, Buffer.from(row!['sha256'], 'hex'));
    await Bun.write(path, '?');
    const ask = async () => {
      const statuses: number[] = [];
      for (const one of asked) statuses.push((await throughWay(way, one)).status);
      return statuses;
    };
    expect(await ask()).toEqual([200, 200, 200, 200, 201]);
    await hide(true);
    // Nothing was made of the picture that could be shown instead.
    expect(await ask()).toEqual([400, 404, 404, 400, 400]);
    if (way === 'a link to the picture') return;
    const plan = await throughWay(way, ['POST /download/info', { albumId }]);
    expect(plan.body.archives).toEqual([]);
  });

  test(`${way} does not reveal the place or the time zone to search filters`, async () => {
    if (way === 'a member of the album') return expect(await searchedBy(eve)).toEqual([]);
    const box = [`GET /timeline/bucket?${BUCKET}&bbox=-9,40,-7,42`] as const;
    expect((await throughWay(way, box)).body.id).toEqual([id]);
    if (way === 'a link to the picture') {
      await hide(true);
      return expect((await throughWay(way, box)).body.id).toEqual([]);
    }
    const found = async (filter: object) => {
      const body = { filter, albumIds: [albumId] };
      const reply = await throughWay(way, ['POST /search/metadata', body]);
      return reply.body.assets.items.length as number;
    };
    const before = { lt: '2026-01-10T12:00:00Z' };
    expect(await found({ city: { eq: 'Porto' } })).toBe(1);
    expect(await found({ takenAt: before })).toBe(1);
    await hide(true);
    for (const name of ['city', 'state', 'country'] as const) {
      expect(await found({ [name]: { ne: null } })).toBe(0);
      expect(await found({ or: [{ [name]: { in: [PLACE[name]] } }] })).toBe(0);
    }
    expect(await found({ takenAt: before })).toBe(0);
    expect(await found({ takenAt: { gte: '2026-01-10T15:30:00Z' } })).toBe(1);
    expect((await throughWay(way, box)).body.id).toEqual([]);
  });
}

async function searchedBy(as: TestUser): Promise<unknown[]> {
  await hide(true);
  const body = { filter: { city: { eq: 'Porto' } } };
  return (await call(app, 'POST /search/metadata', { as, body })).body.assets.items;
}

describe('a hidden place is still shown to', () => {
  const cityFor = async (as: TestUser) =>
    (await call(app, `GET /assets/${id}`, { as })).body.exifInfo.city;

  test('Ada, her other partners, and accounts with which she shares the picture herself', async () => {
    await hide(true);
    expect(await cityFor(ada)).toBe('Porto');
    expect(await cityFor(eve)).toBeNull();
    await call(app, 'POST /partners', { as: ada, body: { sharedWithId: eve.id } });
    expect(await cityFor(eve)).toBe('Porto');
    await call(app, `DELETE /partners/${eve.id}`, { as: ada });
    expect(await cityFor(eve)).toBeNull();
    // Bob is in the album too, and still not told.
    await addAlbum(app, ada, [eve, bob], [id]);
    expect(await cityFor(eve)).toBe('Porto');
    expect(await cityFor(bob)).toBeNull();
    const own = await addLink(app, ada, { type: 'INDIVIDUAL', assetIds: [id] });
    expect((await call(app, `GET /assets/${id}?${own}`)).body.exifInfo.city).toBe('Porto');
  });

  test("nobody through Bob's albums or albums to which Bob added it, even if Ada added it too", async () => {
    await hide(true);
    const mine = await addAlbum(app, bob, [ada, eve], []);
    await call(app, `PUT /albums/${mine}/assets`, { as: ada, body: { ids: [id] } });
    expect(await cityFor(eve)).toBeNull();
    const hers = await addAlbum(app, eve, [bob], []);
    await call(app, `PUT /albums/${hers}/assets`, { as: bob, body: { ids: [id] } });
    expect(await cityFor(eve)).toBeNull();
    const link = await addLink(app, eve, { type: 'ALBUM', albumId: hers });
    expect((await call(app, `GET /assets/${id}?${link}`)).body.exifInfo.city).toBeNull();
  });
});

test('an album hides the place from members whom Bob invited, and whom they invited', async () => {
  await hide(true);
  const hers = await addAlbum(app, ada, [bob], [id]);
  const [ann, cid, dan] = [await user('Ann'), await user('Cid'), await user('Dan')];
  const invite = async (as: TestUser, { id: userId }: TestUser) => {
    const body = { albumUsers: [{ userId, role: 'editor' }] };
    expect((await call(app, `PUT /albums/${hers}/users`, { as, body })).status).toBe(200);
  };
  await invite(bob, ann);
  await invite(ann, cid);
  await invite(ada, dan);
  const cityIn = async (as: TestUser) => {
    const one = await call(app, `GET /assets/${id}`, { as });
    const month = await call(app, `GET /timeline/bucket?${BUCKET}&albumId=${hers}`, { as });
    const markers = await call(app, `GET /albums/${hers}/map-markers`, { as });
    return [one.body.exifInfo.city, month.body.city[0], markers.body[0]?.city ?? null];
  };
  for (const as of [ann, cid, bob]) expect(await cityIn(as)).toEqual([null, null, null]);
  // The member who invited them may be gone.
  await call(app, `DELETE /albums/${hers}/user/${ann.id}`, { as: ada });
  expect(await cityIn(cid)).toEqual([null, null, null]);
  for (const as of [ada, dan]) expect(await cityIn(as)).toEqual(['Porto', 'Porto', 'Porto']);
});

test('key-value metadata of a picture is shown to its owner only', async () => {
  const items = [{ key: 'mobile-app', value: { latitude: '41.1', longitude: '-8.6' } }];
  await call(app, `PUT /assets/${id}/metadata`, { as: ada, body: { items } });
  const read = (caller: Caller, suffix = '') =>
    call(app, `GET /assets/${id}/metadata${suffix}`, caller);
  expect((await read({ as: ada })).body).toMatchObject(items);
  for (const as of [bob, eve]) {
    for (const suffix of ['', '/mobile-app']) {
      expect(await read({ as }, suffix)).toMatchObject({
        status: 400,
        body: { message: 'Not found or no asset.read access' },
      });
    }
  }
  expect((await read({}, `?${query.picture}`)).status).toBe(403);
});

test('a synced copy of a member gets the picture without the place, also when Ada hides it later', async () => {
  const phone = { connection: connect(app, eve), copy: emptyCopy() };
  const sync = async () => {
    await waitForWatermark(database);
    await syncAll(phone.connection, phone.copy);
    const told = [phone.copy.assets, phone.copy.exifs].map((table) =>
      TOLD.test(JSON.stringify([...table.values()])),
    );
    expect(phone.copy.assets.size).toBe(1);
    return told;
  };
  expect(await sync()).toEqual([true, true]);
  await hide(true);
  expect(await sync()).toEqual([false, false]);
  await hide(false);
  expect(await sync()).toEqual([true, true]);
});

test('a link shows only what its owner can see: nothing that Ada archived or locked, nothing after she stops sharing', async () => {
  const seen = async () => (await call(app, `GET /assets/${id}?${query.picture}`)).status;
  const set = (body: object) => call(app, 'PUT /assets', { as: ada, body: { ids: [id], ...body } });
  expect(await seen()).toBe(200);
  await set({ visibility: 'archive' });
  expect(await seen()).toBe(400);
  expect((await call(app, `GET /shared-links/me?${query.picture}`)).body.assets).toEqual([]);
  await set({ visibility: 'timeline' });
  expect(await seen()).toBe(200);
  await call(app, `DELETE /partners/${bob.id}`, { as: ada });
  expect(await seen()).toBe(400);
  // It does not come back by itself.
  await call(app, 'POST /partners', { as: ada, body: { sharedWithId: bob.id } });
  expect(await seen()).toBe(400);
});
