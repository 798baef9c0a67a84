import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';

const { database, app, house } = await useHousehold();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });

const items = async (query = '', who: Caller = { as: me }) =>
  (await call(app, `GET /trash/items?${query}`, who)).body;
const toIds = (body: { items: { id: string }[] }) => body.items.map((item) => item.id);
const getAssetState = async (id: string): Promise<'kept' | 'trashed' | 'gone'> => {
  const [row] = await database.sql`select trashed_at from asset where id = ${id}`;
  return row ? (row['trashed_at'] ? 'trashed' : 'kept') : 'gone';
};

describe('DELETE /assets', () => {
  const remove = (ids: readonly string[], force?: boolean, who: Caller = { as: me }) =>
    call(app, 'DELETE /assets', { ...who, body: { ids, ...(force !== undefined && { force }) } });

  test('trashes items, or with force deletes them permanently, and leaves others alone', async () => {
    const [a, b, c] = [await add(), await add(), await add({ visibility: 'archive' })];
    expect((await remove([a])).status).toBe(204);
    expect((await remove([b], true)).status).toBe(204);
    expect([await getAssetState(a), await getAssetState(b), await getAssetState(c)]).toEqual([
      'trashed',
      'gone',
      'kept',
    ]);
    // Once more: when it was trashed stays.
    await database.sql`update asset set trashed_at = '2020-01-01Z' where id = ${a}`;
    expect((await remove([a, c], false)).status).toBe(204);
    const [row] = await database.sql`select trashed_at from asset where id = ${a}`;
    expect(new Date(row!['trashed_at'])).toEqual(new Date('2020-01-01T00:00:00.000Z'));
    expect(await getAssetState(c)).toBe('trashed');
    expect((await remove([])).status).toBe(204);
  });

  test('an id that is foreign, unknown or locked refuses the whole request', async () => {
    const own = await add();
    const locked = await add({ lockedAt: NOW });
    for (const other of [house.ids.plain, crypto.randomUUID(), locked]) {
      for (const force of [false, true]) {
        const reply = await remove([own, other], force);
        expect(reply).toMatchObject({
          status: 400,
          body: { message: 'Not found or no asset.delete access' },
        });
      }
    }
    expect([await getAssetState(own), await getAssetState(locked)]).toEqual(['kept', 'kept']);
    for (const who of [house.member, house.viewer, house.partner, house.stranger]) {
      expect((await remove([house.ids.plain], true, { as: who })).status).toBe(400);
    }
    expect(await getAssetState(house.ids.plain)).toBe('kept');
    const weak = await seed(database).user(['asset.read', 'asset.update']);
    expect((await remove([own], true, { as: weak })).status).toBe(403);
    const guest = await call(app, 'DELETE /assets?slug=assets', {
      body: { ids: [house.ids.plain] },
    });
    expect(guest.status).toBe(403);
    expect((await remove([own], true, {})).status).toBe(401);
  });

  test('deletes both halves of a live photo, whichever is named', async () => {
    for (const force of [false, true]) {
      for (const which of ['still', 'video'] as const) {
        const video = await add({ type: 'VIDEO', visibility: 'hidden' });
        const still = await add({ liveVideoId: video });
        await remove([which === 'still' ? still : video], force);
        const gone = force ? 'gone' : 'trashed';
        expect([await getAssetState(still), await getAssetState(video)]).toEqual([gone, gone]);
      }
    }
  });

  test('deletes a video shared by two stills with the last of them', async () => {
    for (const force of [false, true]) {
      const video = await add({ type: 'VIDEO', visibility: 'hidden' });
      const stills = [await add({ liveVideoId: video }), await add({ liveVideoId: video })];
      await remove([stills[0]!], force);
      expect(await getAssetState(video)).toBe('kept');
      await remove([stills[1]!], force);
      expect(await getAssetState(video)).toBe(force ? 'gone' : 'trashed');
    }
  });

  test('an asset that was hidden on its own is listed in the trash and restored to the Timeline', async () => {
    const id = await add({ visibility: 'hidden', type: 'VIDEO' });
    await remove([id]);
    expect(toIds(await items())).toEqual([id]);
    await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [id] } });
    const [row] = await database.sql`select visibility, trashed_at from asset where id = ${id}`;
    expect({ ...row }).toEqual({ visibility: 'timeline', trashed_at: null });
  });
});
