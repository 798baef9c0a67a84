import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { handleIndexText } from '../search/match/text-index.handlers.ts';

const { database, app } = await useApp();

const user = (name: string, permissions?: string[]) => seed(database).user(permissions, { name });
const share = (as: TestUser, sharedWithId: string) =>
  call(app, 'POST /partners', { as, body: { sharedWithId } });
const listed = async (as: TestUser, direction: 'shared-by' | 'shared-with') =>
  (await call(app, `GET /partners?direction=${direction}`, { as })).body;

describe('hiding places', () => {
  const PLACE = { city: 'Porto', state: 'Norte', country: 'Portugal', latitude: 41, longitude: -8 };

  async function pair() {
    const [ada, bob] = [await user('Ada'), await user('Bob')];
    await share(ada, bob.id);
    await call(app, `PUT /partners/${ada.id}`, { as: bob, body: { inTimeline: true } });
    const id = await seed(database).asset({
      ownerId: ada.id,
      fileName: 'harbour.jpg',
      exif: { ...PLACE, make: 'Canon', timeZone: 'Europe/Lisbon', description: 'a boat' },
    });
    const [album] = await database.sql`
      insert into album (owner_id, name) values (${ada.id}, 'a') returning id`;
    const albumId = album!['id'] as string;
    await database.sql`insert into album_user (album_id, user_id, role)
      values (${albumId}, ${bob.id}, 'viewer')`;
    await database.sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${id})`;
    const effect = await handleIndexText(jobCtx(database), {});
    if (effect) await database.db.transaction(effect);
    return { ada, bob, id, albumId };
  }
  const hide = (sharer: TestUser, viewer: TestUser, hidesPlaces: boolean) =>
    call(app, `PUT /partners/${viewer.id}`, { as: sharer, body: { hidesPlaces } });

  test('is set by the account that shares, when sharing or later', async () => {
    const [ada, bob] = [await user('Ada'), await user('Bob')];
    const body = { sharedWithId: bob.id, hidesPlaces: true };
    expect((await call(app, 'POST /partners', { as: ada, body })).body).toMatchObject({
      hidesPlaces: true,
    });
    expect(await listed(ada, 'shared-by')).toMatchObject([{ id: bob.id, hidesPlaces: true }]);
    expect(await listed(bob, 'shared-with')).toMatchObject([{ id: ada.id, hidesPlaces: true }]);
    // The viewer has nothing to say about it: to Ada, Bob shares nothing.
    expect((await hide(bob, ada, false)).status).toBe(400);
    expect(await listed(ada, 'shared-by')).toMatchObject([{ hidesPlaces: true }]);
    expect((await hide(ada, bob, false)).body).toMatchObject({ id: bob.id, hidesPlaces: false });
    expect((await hide(ada, await user('Eve'), true)).status).toBe(400);
    expect((await call(app, `PUT /partners/${bob.id}`, { as: ada, body: {} })).status).toBe(400);
  });

  test('is separate for both directions', async () => {
    const [ada, bob] = [await user('Ada'), await user('Bob')];
    await share(ada, bob.id);
    await share(bob, ada.id);
    const body = { inTimeline: true, hidesPlaces: true };
    const changed = await call(app, `PUT /partners/${bob.id}`, { as: ada, body });
    expect(changed.body).toMatchObject({ id: bob.id, inTimeline: true, hidesPlaces: false });
    expect(await listed(ada, 'shared-by')).toMatchObject([
      { inTimeline: false, hidesPlaces: true },
    ]);
    expect(await listed(ada, 'shared-with')).toMatchObject([
      { inTimeline: true, hidesPlaces: false },
    ]);
  });

  type Get = 'GET /' | 'POST /';
  /** Requests whose answers contain the place if the partner shows it, and never if it is hidden. */
  const TELLING: readonly [string, object?][] = [
    ['GET /assets/{id}'],
    ['GET /timeline/bucket?timeBucket=2026-01-01&userId={ada}'],
    ['GET /timeline/bucket?timeBucket=2026-01-01&visibility=timeline&withPartners=true'],
    ['GET /timeline/bucket?timeBucket=2026-01-01&albumId={album}&withCoordinates=true'],
    ['GET /map/markers?withPartners=true&withSharedAlbums=true'],
    ['GET /albums/{album}/map-markers'],
    ['GET /map/clusters?bbox=-180,-90,180,90&zoom=0&albumId={album}'],
    ['GET /map/assets?cell=0/0/0&albumId={album}'],
    ['GET /search/cities'],
    ['GET /search/cities/counts'],
    ['GET /search/suggestions?type=city'],
    ['GET /search/suggestions?type=country'],
    ['POST /search/metadata', { withExif: true }],
    ['POST /search/random', { withExif: true }],
    ['POST /search/facets', {}],
  ];
  const TOLD = /Porto|Norte|Portugal|"latitude":41|"lat":41|"latitude":\[41/;

  test('removes them from everything that the viewer can read', async () => {
    const { ada, bob, id, albumId } = await pair();
    const ask = async ([route, body]: (typeof TELLING)[number]) => {
      const path = route.replace('{id}', id).replace('{ada}', ada.id).replace('{album}', albumId);
      const reply = await call(app, path as Get, { as: bob, ...(body && { body }) });
      expect([route, reply.status]).toEqual([route, 200]);
      return JSON.stringify(reply.body);
    };
    for (const asked of TELLING)
      expect([asked[0], await ask(asked)]).toMatchObject([asked[0], expect.stringMatching(TOLD)]);
    await hide(ada, bob, true);
    for (const asked of TELLING)
      expect([asked[0], await ask(asked)]).toMatchObject([
        asked[0],
        expect.not.stringMatching(TOLD),
      ]);
    // Everything else is as it was, and the owner sees all of it.
    expect((await call(app, `GET /assets/${id}`, { as: bob })).body.exifInfo).toMatchObject({
      make: 'Canon',
      timeZone: null,
      description: 'a boat',
      city: null,
      latitude: null,
    });
    expect((await call(app, `GET /assets/${id}`, { as: ada })).body.exifInfo).toMatchObject(PLACE);
  });

  test('does not reveal them to search filters', async () => {
    const { ada, bob, id } = await pair();
    const bucket =
      'GET /timeline/bucket?timeBucket=2026-01-01&visibility=timeline&withPartners=true';
    const found = async () => ({
      box: (await call(app, `${bucket}&bbox=-9,40,-7,42` as Get, { as: bob })).body.id,
      city: await searched('metadata', { city: 'Porto' }),
      words: await searched('smart', { query: 'porto' }),
      others: await searched('smart', { query: 'harbour boat' }),
    });
    const searched = async (kind: string, body: object) => {
      const reply = await call(app, `POST /search/${kind}` as Get, { as: bob, body });
      return reply.body.assets.items.map((item: { id: string }) => item.id);
    };
    expect(await found()).toEqual({ box: [id], city: [id], words: [id], others: [id] });
    await hide(ada, bob, true);
    expect(await found()).toEqual({ box: [], city: [], words: [], others: [id] });
  });

  test('withholds the originals, which contain them', async () => {
    const { ada, bob, id, albumId } = await pair();
    const info = (body: object) => call(app, 'POST /download/info', { as: bob, body });
    expect((await info({ userId: ada.id })).body.archives).toMatchObject([{ assetIds: [id] }]);
    await hide(ada, bob, true);
    expect((await info({ userId: ada.id })).status).toBe(400);
    expect((await info({ assetIds: [id] })).status).toBe(400);
    expect((await info({ albumId })).body.archives).toEqual([]);
    const zip = await call(app, 'POST /download/archive', { as: bob, body: { assetIds: [id] } });
    expect(zip.status).toBe(400);
    const original = await call(app, `GET /assets/${id}/original`, { as: bob });
    expect(original).toMatchObject({
      status: 400,
      body: { message: 'Not found or no asset.download access' },
    });
  });

  test('changes the ETag of a month', async () => {
    const { ada, bob } = await pair();
    const read = (headers: Record<string, string> = {}) =>
      call(app, `GET /timeline/bucket?timeBucket=2026-01-01&userId=${ada.id}`, {
        as: bob,
        headers,
      });
    const etag = (await read()).headers.get('etag')!;
    expect((await read({ 'if-none-match': etag })).status).toBe(304);
    await hide(ada, bob, true);
    const again = await read({ 'if-none-match': etag });
    expect(again).toMatchObject({ status: 200, body: { city: [null], country: [null] } });
  });
});
