import { describe, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import { useHousehold } from '../../../../test/support/database.ts';
import { effort } from '../../../../test/support/effort.ts';
import { call, type Caller, type NewAsset, NOW, seed } from '../../../../test/support/harness.ts';
import { addStack, unlock } from '../../../../test/support/household.ts';
import { albumAssets } from '../../../db/tables/albums.ts';
import { assets } from '../../../db/tables/assets.ts';

const { database, app, house, me } = await useHousehold();

const AT = NOW.toISOString();
const add = (over: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...over });
const put = (ids: readonly string[], change: object, caller: Caller = { as: me }) =>
  call(app, 'PUT /assets', { ...caller, body: { ids, ...change } });
const changed = async (ids: readonly string[], change: object, caller?: Caller) => {
  expect(await put(ids, change, caller)).toMatchObject({ status: 204, body: undefined });
};
const get = async (id: string, caller: Caller = { as: me }) =>
  (await call(app, `GET /assets/${id}`, caller)).body;
describe('PUT /assets', () => {
  test('changes the given fields and keeps the others', async () => {
    const exif = { description: 'old', rating: 2, make: 'Canon', city: 'Paris' };
    const ids = [await add({ exif }), await add({ exif })];
    const untouched = await add({ exif });
    await changed([...ids, ids[0]!.toUpperCase()], { description: 'new', isFavorite: true });
    for (const id of ids) {
      const asset = await get(id);
      expect(asset).toMatchObject({ isFavorite: true, isArchived: false });
      expect(asset.exifInfo).toMatchObject({ description: 'new', rating: 2, city: 'Paris' });
    }
    expect((await get(untouched)).exifInfo.description).toBe('old');
    expect((await get(untouched)).isFavorite).toBe(false);
  });

  test('reading the metadata again keeps edited fields', async () => {
    const id = await add({ exif: { editedFields: ['rating'] } });
    await changed([id], { description: 'x', latitude: 1, longitude: 2 });
    const [row] = await database.sql`select edited_fields from asset_exif where asset_id = ${id}`;
    expect(row!['edited_fields']).toEqual(['description', 'latitude', 'longitude', 'rating']);
  });

  test('a new position brings its place', async () => {
    const id = await add({
      exif: { city: 'Paris', country: 'France', latitude: 48, longitude: 2 },
    });
    await changed([id], { latitude: 38.7, longitude: -9.1 });
    expect((await get(id)).exifInfo).toMatchObject({
      latitude: 38.7,
      longitude: -9.1,
      city: 'Lisbon',
      country: 'Portugal',
    });
  });

  test('accepts ratings from 1 to 5 and -1 for rejected, and removes the rating for null and 0', async () => {
    const id = await add();
    for (const [rating, shown] of [
      [5, 5],
      [-1, -1],
      [0, null],
      [3, 3],
      [null, null],
    ] as const) {
      await changed([id], { rating });
      expect((await get(id)).exifInfo.rating).toBe(shown);
    }
  });

  test('an empty update, or removing a duplicate group where there is none, changes nothing', async () => {
    const id = await add();
    const before = await get(id);
    await changed([id], {});
    await changed([id], { duplicateId: null });
    expect(await get(id)).toEqual(before);
  });

  test('updates thousands of assets in a few statements', async () => {
    const { sql } = database;
    const many = effort({ quick: 2_000, full: 10_000 });
    const big = await seed(database).user();
    const digest = sql`sha256(n::text::bytea)`;
    await sql`insert into original (sha256, size) select ${digest}, 1 from generate_series(1, ${many}::int) n
      on conflict do nothing`;
    const rows = await sql`
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at)
      select ${big.id}, 'IMAGE', ${digest}, substring(${digest} from 1 for 20), 'a.jpg', 1, ${AT},
        ${AT}, ${AT} from generate_series(1, ${many}::int) n returning id`;
    // A database that has just been filled by the thousand knows nothing about it.
    await sql`analyze asset`;
    const ids = rows.map((row) => row['id'] as string);
    const change = { rating: 4, isFavorite: true, dateTimeRelative: 60, visibility: 'archive' };
    await changed(ids, change, { as: big });
    const [found] = await sql`
      select count(*)::int as assets from asset join asset_exif on asset_id = id
      where owner_id = ${big.id} and is_favorite and visibility = 'archive' and rating = 4
        and taken_at = ${AT}::timestamptz + interval '1 hour'`;
    expect(found!['assets']).toBe(many);
  }, 300_000);
});

describe('changing the visibility of many assets', () => {
  test('ST-043: unlocking assets that were locked by PUT restores their visibility and albums', async () => {
    const [plain, archived] = [await add(), await add({ visibility: 'archive' })];
    const body = { albumName: 'A', assetIds: [plain, archived] };
    const { body: album } = await call(app, 'POST /albums', { as: me, body });
    const { updatedAt: _, ...state } = await get(plain);
    await changed([plain, archived], { visibility: 'locked' });
    expect((await call(app, `GET /assets/${plain}`, { as: me })).status).toBe(400);
    const members = await database.db
      .select()
      .from(albumAssets)
      .where(inArray(albumAssets.assetId, [plain, archived]));
    expect(members).toHaveLength(2);

    await unlock(database, me);
    const caller = { session: me };
    await call(app, 'POST /assets/unlock', { ...caller, body: { ids: [plain, archived] } });
    expect(await get(plain)).toMatchObject(state);
    expect(await get(archived)).toMatchObject({ isArchived: true, visibility: 'archive' });
    const { body: shown } = await call(app, `GET /albums/${album.id}`, { as: me });
    expect(shown.assetCount).toBe(2);
  });

  test('locks whole stacks and live photos', async () => {
    const [top, video] = [await add(), await add({ type: 'VIDEO', visibility: 'hidden' })];
    const stackId = await addStack(database, me.id, top);
    const child = await add({ stackId, isStackChild: true });
    const still = await add({ liveVideoId: video });
    await changed([child, still], { visibility: 'locked' });
    const rows = await database.db
      .select({ lockedAt: assets.lockedAt })
      .from(assets)
      .where(inArray(assets.id, [top, child, video, still]));
    expect(rows.every((row) => row.lockedAt !== null)).toBe(true);
    // Again, in a session that does not see them: no error, as with the lock operation.
    await changed([child, still], { visibility: 'locked' });
    expect((await put([child], { visibility: 'locked', rating: 1 })).status).toBe(400);
    expect((await put([child], { visibility: 'timeline' })).status).toBe(400);
  });

  test('archives assets and returns them to the Timeline', async () => {
    const ids = [await add(), await add()];
    await changed(ids, { visibility: 'archive' });
    expect((await get(ids[0]!)).isArchived).toBe(true);
    await changed(ids, { visibility: 'timeline' });
    expect((await get(ids[1]!)).visibility).toBe('timeline');
  });
});

describe('an update is applied to all assets or to none', () => {
  const foreign: [string, () => string, () => Caller][] = [
    ['that does not exist', () => crypto.randomUUID(), () => ({ as: house.owner })],
    ['of a partner', () => house.ids.ofPartner, () => ({ as: house.owner })],
    ['that is locked', () => house.ids.locked, () => ({ as: house.owner })],
  ];
  for (const [name, foreignId, caller] of foreign) {
    test(`an asset ${name} in the list → 400`, async () => {
      const { plain } = house.ids;
      const before = await get(plain, caller());
      for (const change of [{ rating: 5 }, { visibility: 'archive' }, { isFavorite: true }]) {
        const reply = await put([plain, foreignId()], change, caller());
        expect(reply).toMatchObject({
          status: 400,
          body: { message: 'Not found or no asset.update access' },
        });
      }
      expect(await get(plain, caller())).toEqual(before);
    });
  }

  const others: [string, () => Caller, number][] = [
    ['a viewer of the Timeline', () => ({ as: house.viewer }), 400],
    ['a member of the album', () => ({ as: house.member }), 400],
    ['a stranger', () => ({ as: house.stranger }), 400],
    ['a guest', () => ({ headers: { 'x-immich-share-slug': 'assets' } }), 403],
    ['nobody', () => ({}), 401],
  ];
  for (const [who, caller, status] of others) {
    test(`a request by ${who} → ${status}`, async () => {
      const { plain } = house.ids;
      const before = await get(plain, { as: house.owner });
      expect((await put([plain], { rating: 1 }, caller())).status).toBe(status);
      expect((await put([plain], { visibility: 'archive' }, caller())).status).toBe(status);
      expect(await get(plain, { as: house.owner })).toEqual(before);
    });
  }
});
