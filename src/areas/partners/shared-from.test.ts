import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addAlbum, addLink } from '../../../test/support/hidden-places.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { emptyCopy, syncAll } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import { handleIndexText } from '../search/match/text-index.handlers.ts';

// Ada shares with Bob what she has taken since a day. What is earlier is to him as if it were not there.

// Transactions of other tests in the same cluster hold the watermark of sync back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
const { sql } = database;

const user = (name: string, permissions = ['all']) => seed(database).user(permissions, { name });
let ada: TestUser;
let bob: TestUser;
let early: string;
let earlyVideo: string;
let late: string;

const DAY = '2020-06-15';
const LAST_EARLY = {
  takenAt: new Date('2020-06-14T20:00:00Z'),
  localTakenAt: '2020-06-14T23:59:59',
};
// By the clock of the camera the day has begun, in UTC it has not.
const FIRST_LATE = {
  takenAt: new Date('2020-06-14T22:00:00Z'),
  localTakenAt: '2020-06-15T00:00:00',
};

beforeEach(async () => {
  [ada, bob] = [await user('Ada'), await user('Bob')];
  await call(app, 'POST /partners', { as: ada, body: { sharedWithId: bob.id } });
  await call(app, `PUT /partners/${ada.id}`, { as: bob, body: { inTimeline: true } });
  const add = seed(database);
  const at = (city: string, latitude: number, model: string) => ({
    exif: {
      city,
      country: 'Portugal',
      latitude,
      longitude: -8,
      make: 'Canon',
      model,
      description: city,
    },
  });
  const video = { type: 'VIDEO', visibility: 'hidden', fileName: 'early.mov' } as const;
  earlyVideo = await add.asset({ ownerId: ada.id, ...LAST_EARLY, ...video });
  const still = { fileName: 'early.jpg', liveVideoId: earlyVideo };
  early = await add.asset({ ownerId: ada.id, ...LAST_EARLY, ...at('Faro', 37, 'A1'), ...still });
  late = await add.asset({
    ownerId: ada.id,
    ...FIRST_LATE,
    ...at('Porto', 41, 'R5'),
    fileName: 'late.jpg',
  });
  const effect = await handleIndexText(jobCtx(database), {});
  if (effect) await database.db.transaction(effect);
});

const shareFrom = (sharedFrom: string | null, by = ada, to = bob) =>
  call(app, `PUT /partners/${to.id}`, { as: by, body: { sharedFrom } });

/** Requests of Bob whose answers depend on the earlier item. */
const TELLING = (): readonly (readonly [route: string, body?: object])[] => [
  [`GET /assets/${early}`],
  [`GET /assets/${earlyVideo}`],
  [`GET /timeline/buckets?userId=${ada.id}`],
  [`GET /timeline/buckets?userId=${ada.id}&type=IMAGE`],
  [`GET /timeline/bucket?timeBucket=2020-06-01&userId=${ada.id}`],
  ['GET /timeline/buckets?visibility=timeline&withPartners=true'],
  ['GET /timeline/bucket?timeBucket=2020-06-01&visibility=timeline&withPartners=true'],
  ['GET /map/markers?withPartners=true'],
  ['GET /map/markers?withPartners=true&withSharedAlbums=true'],
  ['GET /map/clusters?bbox=-180,-90,180,90&zoom=5&withPartners=true'],
  [
    'GET /map/clusters?bbox=-180,-90,180,90&zoom=5&withPartners=true&fileCreatedAfter=2000-01-01T00:00:00Z',
  ],
  ['GET /map/assets?cell=0/0/0&withPartners=true'],
  ['GET /search/cities'],
  ['GET /search/cities/counts'],
  ['GET /search/suggestions?type=city'],
  ['GET /search/suggestions?type=camera-model'],
  ['GET /search/completions?query=Far'],
  ['POST /search/metadata', { withExif: true }],
  ['POST /search/metadata', { city: 'Faro' }],
  ['POST /search/metadata', { originalFileName: 'early' }],
  ['POST /search/metadata', { id: early }],
  ['POST /search/random', { city: 'Faro' }],
  ['POST /search/large-assets', {}],
  ['POST /search/smart', { query: 'faro' }],
  ['POST /search/statistics', {}],
  ['POST /search/histogram', {}],
  ['POST /search/facets', {}],
  ['POST /download/info', { userId: ada.id }],
  ['POST /download/info', { assetIds: [early] }],
];

async function ask(as: TestUser = bob): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const [route, body] of TELLING()) {
    const reply = await call(app, route as 'GET /', { as, ...(body && { body }) });
    expect([route, reply.status < 500]).toEqual([route, true]);
    answers.set(`${route} ${JSON.stringify(body)}`, [reply.status, reply.body]);
  }
  return answers;
}

test('what is earlier is in no answer, as if it were not there', async () => {
  const whole = await ask();
  expect((await shareFrom(DAY)).body).toMatchObject({ id: bob.id, sharedFrom: DAY });
  const partial = await ask();
  for (const [route, answer] of partial)
    expect([route, answer]).not.toEqual([route, whole.get(route)]);
  const shown = JSON.stringify([...partial.values()]);
  expect(shown).not.toMatch(new RegExp(`Faro|early\\.|"A1"|${early}|${earlyVideo}`));
  expect(shown).toContain(late);
  // The same as after the item has gone.
  await sql`update asset set locked_at = now() where id in (${early}, ${earlyVideo})`;
  expect(await ask()).toEqual(partial);
  await sql`update asset set locked_at = null where id in (${early}, ${earlyVideo})`;
  expect((await shareFrom(null)).body).not.toHaveProperty('sharedFrom');
  expect(await ask()).toEqual(whole);
});

test('is chosen by the account that shares, when sharing or later', async () => {
  const [eve, weak] = [await user('Eve'), await user('Weak', ['partner.read'])];
  const body = { sharedWithId: eve.id, sharedFrom: DAY };
  expect((await call(app, 'POST /partners', { as: ada, body })).body).toMatchObject({
    sharedFrom: DAY,
  });
  const listed = await call(app, 'GET /partners?direction=shared-with', { as: eve });
  expect(listed.body).toMatchObject([{ id: ada.id, sharedFrom: DAY }]);
  expect((await call(app, `GET /assets/${early}`, { as: eve })).status).toBe(400);
  expect((await call(app, `GET /assets/${late}`, { as: eve })).status).toBe(200);
  // The viewer has nothing to say about it: to Ada, Eve shares nothing. Nor have strangers and weak keys.
  expect((await shareFrom(null, eve, ada)).status).toBe(400);
  expect((await shareFrom(null, bob, eve)).status).toBe(400);
  const byKey = { as: weak, body: { sharedFrom: null } };
  expect((await call(app, `PUT /partners/${eve.id}`, byKey)).status).toBe(403);
  for (const sharedFrom of ['2026-02-30', '0000-01-01', '2020-06', 'x', '', 5, '20200615']) {
    const reply = await call(app, `PUT /partners/${eve.id}`, { as: ada, body: { sharedFrom } });
    expect([sharedFrom, reply.status]).toEqual([sharedFrom, 400]);
    expect(JSON.stringify(reply.body)).toContain('sharedFrom');
  }
  expect((await call(app, 'GET /partners?direction=shared-by', { as: ada })).body).toMatchObject([
    { id: bob.id },
    { id: eve.id, sharedFrom: DAY },
  ]);
  // The other settings stay.
  const hides = await call(app, `PUT /partners/${eve.id}`, {
    as: ada,
    body: { hidesPlaces: true },
  });
  expect(hides.body).toMatchObject({ hidesPlaces: true, sharedFrom: DAY });
});

test('what is earlier leaves the albums and links of the partner, and cannot be added', async () => {
  const eve = await user('Eve');
  const albumId = await addAlbum(app, bob, [eve], [early, late]);
  const own = await addAlbum(app, ada, [bob], [early]);
  const key = await addLink(app, bob, { type: 'INDIVIDUAL', assetIds: [early, late] });
  const seen = async () => ({
    album: (
      await call(app, `GET /timeline/bucket?timeBucket=2020-06-01&albumId=${albumId}`, { as: eve })
    ).body.id,
    link: (await call(app, `GET /timeline/bucket?timeBucket=2020-06-01&${key}` as 'GET /')).body.id,
  });
  expect(await seen()).toEqual({ album: [late, early], link: [late, early] });
  await shareFrom(DAY);
  expect(await seen()).toEqual({ album: [late], link: [late] });
  expect((await call(app, `GET /assets/${early}?${key}` as 'GET /')).status).toBe(400);
  const added = await call(app, `PUT /albums/${albumId}/assets`, {
    as: bob,
    body: { ids: [early] },
  });
  expect(added.body).toMatchObject([{ id: early, success: false }]);
  const link = { type: 'INDIVIDUAL', assetIds: [early] };
  expect((await call(app, 'POST /shared-links', { as: bob, body: link })).status).toBe(400);
  // Ada's own album shows it to him, and so does the map of albums: once.
  expect((await call(app, `GET /assets/${early}`, { as: bob })).status).toBe(200);
  const map = await call(app, 'GET /map/markers?withPartners=true&withSharedAlbums=true', {
    as: bob,
  });
  expect(map.body.map(({ id }: { id: string }) => id).toSorted()).toEqual([early, late].toSorted());
  expect((await call(app, `GET /albums/${own}/map-markers`, { as: bob })).body).toHaveLength(1);
});

test('a phone drops what is shared no more, and gets it again', async () => {
  const copy = emptyCopy();
  const sync = async () => {
    await waitForWatermark(database);
    await syncAll(connect(app, bob), copy);
    await expectCopy(database, copy, { id: bob.id });
    return [early, late].filter((id) => copy.assets.has(id));
  };
  expect(await sync()).toEqual([early, late]);
  await shareFrom(DAY);
  expect(await sync()).toEqual([late]);
  // Ada finds out that the clock of the camera was wrong.
  const move = (clock: string) =>
    sql`update asset set local_taken_at = ${clock} where id = ${late}`;
  await move('2019-01-01T12:00:00');
  expect(await sync()).toEqual([]);
  await move('2021-01-01T12:00:00');
  expect(await sync()).toEqual([late]);
  await shareFrom('2019-12-31');
  expect(await sync()).toEqual([early, late]);
  await shareFrom(null);
  expect(await sync()).toEqual([early, late]);
});

test('a month that has been read has another ETag', async () => {
  const route = `GET /timeline/bucket?timeBucket=2020-06-01&userId=${ada.id}` as const;
  const etag = (await call(app, route, { as: bob })).headers.get('etag')!;
  const again = () => call(app, route, { as: bob, headers: { 'if-none-match': etag } });
  expect((await again()).status).toBe(304);
  await shareFrom(DAY);
  expect(await again()).toMatchObject({ status: 200, body: { id: [late] } });
});
