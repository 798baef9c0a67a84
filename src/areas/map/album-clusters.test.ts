import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { addAlbum, addLink, sharePlace } from '../../../test/support/hidden-places.ts';
import { call, type Caller, seed } from '../../../test/support/harness.ts';
import { type Household, unlock } from '../../../test/support/household.ts';
import { seedPlacedHousehold } from '../../../test/support/map.ts';

const { database, app } = await useApp();
let house: Household;
beforeAll(async () => {
  house = await seedPlacedHousehold(database);
});

const WORLD = 'bbox=-180,-90,180,90&zoom=0';
type Cluster = { cell: string; count: number; id: string };

async function listClusters(query: string, caller: Caller): Promise<Cluster[]> {
  const { status, body } = await call(app, `GET /map/clusters?${WORLD}&${query}`, caller);
  expect(status).toBe(200);
  return body.clusters;
}

/** Returns the ids on the map of an album; each cell lists as many as it counts. */
async function listOnMap(albumId: string, caller: Caller, query = ''): Promise<string[]> {
  const filter = `albumId=${albumId}${query}`;
  const ids: string[] = [];
  for (const { cell, count, id } of await listClusters(filter, caller)) {
    const { body } = await call(app, `GET /map/assets?cell=${cell}&${filter}`, caller);
    const found = body.items.map((item: { id: string }) => item.id);
    expect(found).toHaveLength(count);
    expect(found).toContain(id);
    ids.push(...found);
  }
  return ids;
}
const listNames = async (caller: Caller, query?: string) =>
  house.getNames(await listOnMap(house.albumId, caller, query));

/** The album has everything of the owner; it shows neither hidden nor locked nor trashed items. */
const SHOWN = ['archived', 'favorite', 'plain', 'video'];

describe('the map of an album', () => {
  test('shows the owner and members what the album lists, archived items included', async () => {
    expect(await listNames({ as: house.owner })).toEqual(SHOWN);
    expect(await listNames({ as: house.member })).toEqual(SHOWN);
    const flags = '&isArchived=false&withPartners=true&withSharedAlbums=true';
    expect(await listNames({ as: house.member }, flags)).toEqual(SHOWN);
    const { body } = await call(app, `GET /albums/${house.albumId}/map-markers`, {
      as: house.member,
    });
    expect(house.getNames(body.map(({ id }: { id: string }) => id))).toEqual(SHOWN);
  });

  test('shows nothing locked, hidden or trashed, also in an unlocked session', async () => {
    await unlock(database, house.owner);
    expect(await listNames({ session: house.owner })).toEqual(SHOWN);
  });

  test('tells nobody else what the owner has marked as a favorite', async () => {
    expect(await listNames({ as: house.owner }, '&isFavorite=true')).toEqual(['favorite']);
    expect(await listNames({ as: house.member }, '&isFavorite=true')).toEqual([]);
    expect(await listNames({ as: house.member }, '&isFavorite=false')).toEqual([]);
  });

  test('is narrowed by time of capture', async () => {
    const [as, before] = [{ as: house.member }, '&fileCreatedBefore=1990-01-01T00:00:00Z'];
    expect(await listNames(as, before)).toEqual([]);
    expect(await listNames(as, '&fileCreatedBefore=2100-01-01T00:00:00Z')).toEqual(SHOWN);
  });

  test('shows the items of every owner, and only of this album', async () => {
    const [ada, bob] = [await seed(database).user(), await seed(database).user()];
    const at = (ownerId: string, latitude: number, values = {}) =>
      seed(database).asset({ ownerId, exif: { latitude, longitude: 2 }, ...values });
    const own = await at(ada.id, 1);
    const other = await at(bob.id, 1.00001);
    const trashed = await at(bob.id, 1, { trashedAt: new Date() });
    const elsewhere = await at(ada.id, 1);
    const placeless = await seed(database).asset({ ownerId: ada.id });
    const albumId = await addAlbum(app, ada, [bob], [own, placeless]);
    await addAlbum(app, ada, [], [elsewhere]);
    for (const id of [other, trashed]) {
      await database.sql`insert into album_asset (album_id, asset_id, added_by)
        values (${albumId}, ${id}, ${bob.id})`;
    }
    expect((await listOnMap(albumId, { as: ada })).sort()).toEqual([own, other].sort());
    expect((await listOnMap(albumId, { as: bob })).sort()).toEqual([own, other].sort());
    const [cluster] = await listClusters(`albumId=${albumId}`, { as: ada });
    const page = async (more: string) => {
      const query = `cell=${cluster?.cell}&albumId=${albumId}&size=1${more}`;
      return (await call(app, `GET /map/assets?${query}`, { as: ada })).body;
    };
    const first = await page('');
    const second = await page(`&cursor=${first.nextCursor}`);
    const paged = [first, second].map(({ items }): string => items[0].id);
    expect(paged.sort()).toEqual([own, other].sort());
    expect(second.nextCursor).toBeNull();
  });
});

describe('hidden places', () => {
  test('of a partner are on no map of an album into which the viewer has put the item', async () => {
    const { ada, bob, eve, id, albumId } = await sharePlace(database, app);
    for (const as of [bob, eve]) expect(await listOnMap(albumId, { as })).toEqual([id]);
    const body = { hidesPlaces: true };
    expect((await call(app, `PUT /partners/${bob.id}`, { as: ada, body })).status).toBe(200);
    for (const as of [bob, eve]) {
      expect(await listClusters(`albumId=${albumId}`, { as })).toEqual([]);
      const inCell = `GET /map/assets?cell=0/0/0&albumId=${albumId}` as const;
      expect((await call(app, inCell, { as })).body).toEqual({ items: [], nextCursor: null });
    }
  });
});

describe('refusals', () => {
  const ROUTES = [`clusters?${WORLD}`, 'assets?cell=0/0/0'];
  for (const route of ROUTES) {
    test(`${route}: an album of others is refused like one that does not exist`, async () => {
      for (const id of [house.albumId, crypto.randomUUID()]) {
        const reply = await call(app, `GET /map/${route}&albumId=${id}`, { as: house.stranger });
        expect(reply.status).toBe(400);
        expect(reply.body.message).toBe('Not found or no album.read access');
      }
      const reply = await call(app, `GET /map/${route}&albumId=x`, { as: house.owner });
      expect([reply.status, JSON.stringify(reply.body)]).toEqual([
        400,
        expect.stringContaining('albumId'),
      ]);
    });

    test(`${route}: a link is refused, whether it shows places or hides them`, async () => {
      const { albumId, owner } = house;
      for (const hidesPlaces of [true, false]) {
        const link = await addLink(app, owner, { type: 'ALBUM', albumId, hidesPlaces });
        const reply = await call(app, `GET /map/${route}&albumId=${albumId}&${link}`);
        expect(reply.status).toBe(403);
      }
    });

    test(`${route}: a key needs map.read`, async () => {
      const as = await seed(database).user(['album.read']);
      const albumId = await addAlbum(app, await seed(database).user(), [as], []);
      const reply = await call(app, `GET /map/${route}&albumId=${albumId}`, { as });
      expect(reply.body.message).toBe('Missing required permission: map.read');
    });
  }
});
