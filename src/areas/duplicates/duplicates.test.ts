import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { duplicateSets, getIds } from '../../../test/support/duplicate-sets.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack, seedHousehold, unlock } from '../../../test/support/household.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  await seedHousehold(database);
});
beforeEach(async () => {
  me = await seed(database).user();
});

const { addPicture, measure, matchAll, list, listSets, remove } = duplicateSets(() => ({
  database,
  app,
  me,
}));

describe('sets', () => {
  test('contain pictures with similar vectors, the largest first, and suggest to keep all that may differ', async () => {
    const one = await addPicture([1, 0, 0, 0], { fileSize: 10 });
    const copy = await addPicture([1, 0.2, 0, 0], { fileSize: 20 });
    await addPicture([1, 0, 0.4, 0]);
    await addPicture([0, 0, 0, 1]);
    await matchAll();
    const [set, ...others] = await list();
    expect(others).toEqual([]);
    expect(getIds(set)).toEqual([one, copy].sort());
    expect(set).toMatchObject({ likeness: 'alike', suggestedKeepAssetIds: [copy, one] });
    expect(set.assets[0].id).toBe(copy);
  });

  test('include pictures added later, in the same pass or another', async () => {
    const one = await addPicture([0, 1, 0, 0]);
    await matchAll();
    const two = await addPicture([0, 1, 0.1, 0]);
    const three = await addPicture([0, 1, 0, 0.1]);
    await matchAll();
    expect(await listSets()).toEqual([[one, two, three].sort()]);
  });

  test('lose a picture whose new vector is unlike the others', async () => {
    const one = await addPicture([0, 1, 0, 0]);
    await addPicture([0, 1, 0.1, 0]);
    await matchAll();
    expect(await listSets()).toHaveLength(1);
    await measure(one, [1, 0, 0, 0]);
    await matchAll();
    expect(await listSets()).toEqual([]);
  });

  test('are of one account, of one type, and of videos of one length', async () => {
    await addPicture([1, 0, 0, 0]);
    const stranger = await seed(database).user();
    await addPicture([1, 0, 0, 0], { ownerId: stranger.id });
    const clip = await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 5000 });
    const copy = await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 5400 });
    await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 60_000 });
    await matchAll();
    expect(await listSets()).toEqual([[clip, copy].sort()]);
    expect(await listSets(stranger)).toEqual([]);
  });

  test('show nothing that is Locked, trashed or hidden, also to an unlocked session', async () => {
    const one = await addPicture([0, 0, 1, 0]);
    const archived = await addPicture([0, 0, 1, 0], { visibility: 'archive' });
    await addPicture([0, 0, 1, 0], { lockedAt: NOW });
    await addPicture([0, 0, 1, 0], { trashedAt: NOW });
    await addPicture([0, 0, 1, 0], { visibility: 'hidden' });
    await matchAll();
    await unlock(database, me);
    const { body } = await call(app, 'GET /duplicates', { session: me });
    expect(body.map(getIds)).toEqual([[one, archived].sort()]);
  });

  test('live photos and stacks count as one', async () => {
    const video = await addPicture([0, 1, 1, 0], { type: 'VIDEO', visibility: 'hidden' });
    const live = await addPicture([0, 1, 1, 0], { liveVideoId: video });
    const burst = await addPicture([1, 0, 0, 1]);
    const stackId = await addStack(database, me.id, burst);
    const child = { stackId, isStackChild: true };
    await addPicture([1, 0, 0, 1], child);
    await matchAll();
    expect(await listSets()).toEqual([]);
    const outside = await addPicture([1, 0, 0, 1]);
    const still = await addPicture([0, 1, 1, 0]);
    await matchAll();
    const inOrder = (sets: readonly string[][]) => sets.map((ids) => ids.join()).toSorted();
    expect(inOrder(await listSets())).toEqual(
      inOrder([[burst, outside].sort(), [live, still].sort()]),
    );
  });
});

describe('a library with many sets', () => {
  test('is listed page by page, the newest first, and counted', async () => {
    const day = (n: number) => new Date(Date.UTC(2024, 0, n));
    const pairs: string[][] = [];
    for (const [at, vector] of [
      [1, [1, 0, 0, 0]],
      [3, [0, 1, 0, 0]],
      [2, [0, 0, 1, 0]],
    ] as const) {
      const one = await addPicture(vector, { takenAt: day(at), fileSize: 100 * at });
      const copy = await addPicture(vector, { fileSize: 10, takenAt: day(1) });
      pairs.push([one, copy].sort());
    }
    await matchAll();
    const [first, third, second] = pairs;
    const page = async (query: string) => {
      const { body } = await call(app, `GET /duplicates?${query}` as 'GET /', { as: me });
      return body.map(getIds);
    };
    expect(await page('size=2')).toEqual([third, second]);
    expect(await page('size=2&page=2')).toEqual([first]);
    expect(await page('size=2&page=3')).toEqual([]);
    expect(await listSets()).toEqual([third!, second!, first!]);
    expect((await call(app, 'GET /duplicates?size=0', { as: me })).status).toBe(400);
    const summary = async (as: TestUser) =>
      (await call(app, 'GET /duplicates/summary', { as })).body;
    const none = { sets: 0, spareAssets: 0, spareBytes: 0 };
    expect(await summary(me)).toEqual({
      sets: 3,
      assets: 6,
      // There are no thumbnails: nobody has compared their edges.
      spareAssets: 0,
      spareBytes: 0,
      identical: none,
      bursts: 0,
    });
    expect(await page('likeness=identical')).toEqual([]);
    expect(await page('likeness=alike&size=1')).toEqual([third]);
    expect((await call(app, 'GET /duplicates?likeness=sure', { as: me })).status).toBe(400);
    const nothing = { ...none, assets: 0, identical: none, bursts: 0 };
    expect(await summary(await seed(database).user())).toEqual(nothing);
  });
});

describe('an asset by itself', () => {
  const getDuplicateId = async (id: string, as = me) =>
    (await call(app, `GET /assets/${id}`, { as })).body.duplicateId;

  test('names its set as long as it is in one', async () => {
    const [one, copy] = [await addPicture([1, 1, 0, 0]), await addPicture([1, 1, 0, 0])];
    const locked = await addPicture([1, 1, 0, 0], { lockedAt: NOW });
    const alone = await addPicture([0, 0, 1, 0]);
    await matchAll();
    const [set] = await list();
    expect(set.assets.map((asset: { duplicateId: string | null }) => asset.duplicateId)).toEqual(
      [0, 1].map(() => set.duplicateId),
    );
    expect(await getDuplicateId(one)).toBe(set.duplicateId);
    expect(await getDuplicateId(copy)).toBe(set.duplicateId);
    expect(await getDuplicateId(alone)).toBeNull();
    await unlock(database, me);
    const { body } = await call(app, `GET /assets/${locked}`, { session: me });
    expect(body).toMatchObject({ id: locked, duplicateId: null });
    await remove([set.duplicateId]);
    expect(await getDuplicateId(one)).toBeNull();
  });

  test('names the set of its stack, and none to people it is shared with', async () => {
    const primary = await addPicture([1, 0, 0, 1]);
    const stackId = await addStack(database, me.id, primary);
    const child = await addPicture([0, 0, 1, 1], { stackId, isStackChild: true });
    await addPicture([0, 0, 1, 1]);
    await matchAll();
    const [set] = await list();
    expect(await getDuplicateId(child)).toBe(set.duplicateId);
    const partner = await seed(database).user();
    await call(app, 'POST /partners', { as: me, body: { sharedWithId: partner.id } });
    expect((await call(app, `GET /assets/${primary}`, { as: partner })).body).toMatchObject({
      id: primary,
      duplicateId: null,
    });
  });
});

test('guests and keys without the permission can neither read nor decide', async () => {
  const reader = await seed(database).user(['duplicate.read']);
  const nobody = await seed(database).user(['asset.read']);
  const id = crypto.randomUUID();
  const routes = [
    ['GET', '/duplicates', undefined],
    ['GET', '/duplicates/summary', undefined],
    ['DELETE', '/duplicates/decisions', { ids: [id] }],
    ['DELETE', '/duplicates', { ids: [id] }],
    ['DELETE', `/duplicates/${id}`, undefined],
    [
      'POST',
      '/duplicates/resolve',
      { groups: [{ duplicateId: id, keepAssetIds: [], trashAssetIds: [] }] },
    ],
  ] as const;
  for (const [method, path, body] of routes) {
    const status = async (caller: object, query = '') =>
      (await call(app, `${method} ${path}${query}` as 'GET /', { ...caller, body })).status;
    expect(await status({})).toBe(401);
    expect(await status({ as: nobody })).toBe(403);
    expect(await status({}, '?slug=assets')).toBe(403);
    if (method !== 'GET') expect(await status({ as: reader })).toBe(403);
  }
});
