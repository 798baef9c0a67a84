import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../test/support/harness.ts';

const { database, app, house } = await useHousehold();

type Plan = { archives: { assetIds: string[]; size: number }[]; totalSize: number };

async function planned(body: object, caller: Caller, query = ''): Promise<string[]> {
  const reply = await call(app, `POST /download/info${query}`, { ...caller, body });
  expect(reply.status).toBe(201);
  const { archives, totalSize } = reply.body as Plan;
  const ids = archives.flatMap((archive) => archive.assetIds);
  expect(totalSize).toBe(ids.length);
  return house.getNames(ids);
}

const TIMELINE = ['favorite', 'live', 'liveVideo', 'plain', 'stackChild', 'video'];
const LIBRARY = ['archived', ...TIMELINE];

describe('POST /download/info lists exactly the assets that may be downloaded', () => {
  test('for an account', async () => {
    const body = () => ({ userId: house.owner.id });
    expect(await planned(body(), { as: house.owner })).toEqual(LIBRARY);
    expect(await planned(body(), { as: house.viewer })).toEqual(TIMELINE);
  });

  test('for an album', async () => {
    const body = { albumId: house.albumId };
    expect(await planned(body, { as: house.owner })).toEqual(LIBRARY);
    expect(await planned(body, { as: house.member })).toEqual(LIBRARY);
    expect(await planned(body, {}, '?slug=album')).toEqual(LIBRARY);
  });

  test('by id, with the video halves of live photos and without duplicates', async () => {
    const { live, liveVideo, trashed } = house.ids;
    const both = ['live', 'liveVideo'];
    expect(await planned({ assetIds: [live] }, { as: house.owner })).toEqual(both);
    expect(await planned({ assetIds: [live, liveVideo, live] }, { as: house.owner })).toEqual(both);
    expect(await planned({ assetIds: [live] }, { as: house.viewer })).toEqual(both);
    expect(await planned({ assetIds: [live] }, {}, '?slug=assets')).toEqual(both);
    expect(await planned({ assetIds: [trashed] }, { as: house.owner })).toEqual(['trashed']);
    expect(await planned({ assetIds: [] }, { as: house.owner })).toEqual([]);
  });

  const refused: [string, () => object, () => Caller, string, number][] = [
    ['no credentials', () => ({ assetIds: [] }), () => ({}), '', 401],
    ['an empty request', () => ({}), () => ({ as: house.owner }), '', 400],
    [
      'a locked asset',
      () => ({ assetIds: [house.ids.locked] }),
      () => ({ as: house.owner }),
      '',
      400,
    ],
    [
      'an asset of another user',
      () => ({ assetIds: [house.ids.plain] }),
      () => ({ as: house.stranger }),
      '',
      400,
    ],
    [
      'an album without access to it',
      () => ({ albumId: house.albumId }),
      () => ({ as: house.stranger }),
      '',
      400,
    ],
    [
      'the account of another user',
      () => ({ userId: house.owner.id }),
      () => ({ as: house.member }),
      '',
      400,
    ],
    [
      'an account through a link',
      () => ({ userId: house.owner.id }),
      () => ({}),
      '?slug=assets',
      400,
    ],
    [
      'an album through another link',
      () => ({ albumId: house.albumId }),
      () => ({}),
      '?slug=assets',
      400,
    ],
    [
      'one foreign id among own ones',
      () => ({ assetIds: [house.ids.plain, house.ids.ofPartner] }),
      () => ({}),
      '?slug=assets',
      400,
    ],
    [
      'a link without downloads',
      () => ({ assetIds: [house.ids.plain] }),
      () => ({}),
      '?slug=view-only',
      400,
    ],
  ];
  for (const [name, body, caller, query, status] of refused) {
    test(`${name} → ${status}`, async () => {
      const info = await call(app, `POST /download/info${query}`, { ...caller(), body: body() });
      expect(info.status).toBe(status);
    });
  }

  test('a key without the permission → 403', async () => {
    const weak = await seed(database).user(['asset.view', 'asset.read']);
    const body = { assetIds: [house.ids.plain] };
    for (const route of ['info', 'archive'] as const) {
      expect((await call(app, `POST /download/${route}`, { as: weak, body })).status).toBe(403);
    }
  });
});

test('splits archives near the requested size and never splits a live photo', async () => {
  const me = await seed(database).user();
  for (let n = 0; n < 5; n++) await seed(database).asset({ ownerId: me.id, fileSize: 40 });
  const videoId = await seed(database).asset({
    ownerId: me.id,
    type: 'VIDEO',
    visibility: 'hidden',
    fileSize: 500,
  });
  const stillId = await seed(database).asset({
    ownerId: me.id,
    fileSize: 10,
    liveVideoId: videoId,
  });
  const body = { userId: me.id, archiveSize: 100 };
  const plan = (await call(app, 'POST /download/info', { as: me, body })).body as Plan;
  expect(plan.totalSize).toBe(5 * 40 + 510);
  expect(plan.archives.reduce((sum, { size }) => sum + size, 0)).toBe(plan.totalSize);
  const all = plan.archives.flatMap(({ assetIds }) => assetIds);
  expect(new Set(all).size).toBe(7);
  expect(all).toHaveLength(7);
  const withStill = plan.archives.find(({ assetIds }) => assetIds.includes(stillId));
  expect(withStill!.assetIds).toContain(videoId);
  for (const { size } of plan.archives.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(100);
});
