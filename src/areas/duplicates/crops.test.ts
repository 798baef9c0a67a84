import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { getIds } from '../../../test/support/duplicate-sets.ts';
import { call, NOW, type NewAsset, seed, type TestUser } from '../../../test/support/harness.ts';
import { seedHousehold, unlock } from '../../../test/support/household.ts';
import type { Json } from '../../../test/support/json.ts';
import {
  addBorder,
  BANNER,
  crop,
  drawOver,
  paintPhoto,
} from '../../../test/support/painted-photos.ts';
import { addFile } from '../../../test/support/processing.ts';
import { addThumbnail, matchAll, saveFeature } from '../../../test/support/similar-assets.ts';

// A crop, a watermark or a border is found by its parts, and only proposed: nothing is chosen for the trash.

const { database, app } = await useApp();
let me: TestUser;
let whole: Buffer;
let part: Buffer;
beforeAll(async () => {
  await seedHousehold(database);
  whole = await paintPhoto(1);
  part = await crop(whole, [0.1, 0.15, 0.75, 0.8]);
});
beforeEach(async () => {
  me = await seed(database).user();
});

/** As models see a picture and its crop. */
const WHOLE = [1, 0, 0, 0];
const PART = [0.8, 0.6, 0, 0];

type Over = Partial<NewAsset> & { readonly model?: string; readonly shotAt?: string };
let added = 0;
async function add(bytes: Buffer, vector: readonly number[], over: Over = {}) {
  const { model, shotAt, ownerId = me.id, ...rest } = over;
  const exif = { ...(model && { model }), ...(shotAt && { dateTimeOriginal: new Date(shotAt) }) };
  const asset = { ownerId, width: 1200, height: 900, exif, ...rest };
  // No account has one file twice.
  const file = Buffer.concat([bytes, Buffer.from([0, ++added])]);
  const id = await addFile(database, { name: `${added}.jpg`, bytes: file }, asset);
  await addThumbnail(database, id, bytes);
  await saveFeature(database, { assetId: id, ownerId }, vector);
  return id;
}
const list = async (query = '', as = me): Promise<Json[]> =>
  (await call(app, `GET /duplicates${query}` as 'GET /', { as })).body;
async function match() {
  await matchAll(database);
  return list();
}

describe('a crop', () => {
  test('is proposed with its picture, and neither is chosen for the trash', async () => {
    const one = await add(whole, WHOLE);
    const two = await add(part, PART);
    await add(await paintPhoto(2), PART);
    const [set, ...others] = await match();
    expect(others).toEqual([]);
    expect(getIds(set)).toEqual([one, two].sort());
    expect(set.likeness).toBe('crop');
    expect(set.suggestedKeepAssetIds.toSorted()).toEqual([one, two].sort());
    expect(await list('?likeness=crop')).toHaveLength(1);
    for (const other of ['identical', 'copy', 'alike', 'burst']) {
      expect(await list(`?likeness=${other}`)).toEqual([]);
    }
    const { body } = await call(app, 'GET /duplicates/summary', { as: me });
    expect(body).toMatchObject({ sets: 1, spareAssets: 0, spareBytes: 0, bursts: 0 });
    expect(body.identical).toMatchObject({ sets: 0, spareAssets: 0 });
  });

  test('is found when it comes first, and later', async () => {
    const two = await add(part, PART);
    await matchAll(database);
    const one = await add(whole, WHOLE);
    expect((await match()).map(getIds)).toEqual([[one, two].sort()]);
    const three = await add(await addBorder(whole), [0.8, 0, 0.6, 0]);
    // All are of the whole picture, whatever they have in common.
    const [set, ...others] = await match();
    expect(others).toEqual([]);
    expect(getIds(set)).toEqual([one, two, three].sort());
  });

  test('makes identical files no less identical, which are trashed without it', async () => {
    const one = await add(whole, WHOLE);
    const same = await add(whole, WHOLE);
    const two = await add(part, PART);
    await match();
    expect((await list('?likeness=identical')).map(getIds)).toEqual([[one, same].sort()]);
    const [set] = await list('?likeness=crop');
    expect(set.assets.map(({ id }: { id: string }) => id)).toContain(two);
    const { body } = await call(app, 'GET /duplicates/summary', { as: me });
    expect(body).toMatchObject({ spareAssets: 1, identical: { sets: 1, spareAssets: 1 } });
  });

  test('is not proposed again once both are kept', async () => {
    await add(whole, WHOLE);
    await add(part, PART);
    const [set] = await match();
    await call(app, 'DELETE /duplicates', { as: me, body: { ids: [set.duplicateId] } });
    expect(await match()).toEqual([]);
  });

  test('may be trashed by a decision of the owner, and of nobody else', async () => {
    const one = await add(whole, WHOLE);
    const two = await add(part, PART);
    const [set] = await match();
    const resolve = async (as: TestUser) => {
      const group = { duplicateId: set.duplicateId, keepAssetIds: [one], trashAssetIds: [two] };
      const { body } = await call(app, 'POST /duplicates/resolve', {
        as,
        body: { groups: [group] },
      });
      return body[0].success;
    };
    expect(await resolve(await seed(database).user())).toBe(false);
    expect(await list()).toHaveLength(1);
    expect(await resolve(me)).toBe(true);
    expect(await list()).toEqual([]);
  });
});

describe('is proposed with nothing', () => {
  test('that is of another account, Locked, trashed or hidden, also to an unlocked session', async () => {
    const stranger = await seed(database).user();
    await add(whole, WHOLE, { ownerId: stranger.id });
    await add(whole, WHOLE, { lockedAt: NOW });
    await add(whole, WHOLE, { trashedAt: NOW });
    await add(whole, WHOLE, { visibility: 'hidden' });
    const two = await add(part, PART);
    expect(await match()).toEqual([]);
    await unlock(database, me);
    expect((await call(app, 'GET /duplicates', { session: me })).body).toEqual([]);
    expect(await list('', stranger)).toEqual([]);
    const shown = await add(whole, WHOLE, { visibility: 'archive' });
    expect((await match()).map(getIds)).toEqual([[shown, two].sort()]);
  });

  test('that another camera took, or at another moment, or perhaps so', async () => {
    const own = { model: 'Acme', shotAt: '2024-05-01T12:00:00Z' };
    await add(part, PART, own);
    await add(whole, WHOLE, { ...own, model: 'Other' });
    await add(whole, WHOLE, { ...own, shotAt: '2024-05-01T12:00:03Z' });
    await add(whole, WHOLE, own);
    expect((await match()).filter((set) => set.likeness === 'crop')).toEqual([]);
    const known = await add(whole, WHOLE, { ...own, width: 2400, height: 1800 });
    await matchAll(database);
    const [set] = await list('?likeness=crop');
    expect(set.assets.map(({ id }: { id: string }) => id)).toContain(known);
  });

  test('that has other numbers, where both have text', async () => {
    const marked = await drawOver(whole, BANNER);
    const ids = [await add(whole, WHOLE), await add(marked, PART)];
    expect(await match()).toHaveLength(1);
    for (const [at, id] of ids.entries()) {
      await database.sql`insert into document (asset_id, model_id, folded)
        values (${id}, 'text', ${`invoice no 00${at} for a chair`})`;
    }
    expect(await match()).toEqual([]);
  });

  test('that models find unlike, and no video', async () => {
    await add(whole, WHOLE);
    await add(part, [0.2, 0.98, 0, 0]);
    expect(await match()).toEqual([]);
    await add(whole, [0, 0, 1, 0], { type: 'VIDEO', durationMs: 1000 });
    await add(part, [0, 0, 0.8, 0.6], { type: 'VIDEO', durationMs: 1000 });
    expect(await match()).toEqual([]);
  });
});
