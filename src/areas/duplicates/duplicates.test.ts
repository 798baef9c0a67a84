import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  call,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/harness.ts';
import { addStack, seedHousehold, unlock } from '../../../test/library.ts';
import { jobCtx } from '../../../test/processing.ts';
import type { App } from '../../app.ts';
import { saveEmbeddings } from '../../inference/index.ts';
import { handleMatch } from './match.handlers.ts';
import { duplicateSink } from './sink.ts';

const MODEL = { modelId: 'feature', dimension: 4 };

let database: TestDatabase;
let app: App;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  await seedHousehold(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  me = await seed(database).user();
});

const unit = (vector: readonly number[]) => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
};

/** As the inference leaves it: the vector, and what keeps it. */
async function measure(assetId: string, vector: readonly number[]): Promise<void> {
  const asset = {
    assetId,
    ownerId: me.id,
    type: 'IMAGE' as const,
    picture: { width: 1, height: 1 },
  };
  await database.db.transaction(async (tx) => {
    const feature = unit(vector);
    await saveEmbeddings(tx, MODEL.modelId, [
      { kind: 'asset', subjectId: assetId, vector: feature },
    ]);
    await duplicateSink.store(tx, asset, feature, MODEL);
  });
}

async function matchAll(): Promise<void> {
  for (;;) {
    const effect = await handleMatch(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}

async function addPicture(vector: readonly number[], over: object = {}): Promise<string> {
  const id = await seed(database).asset({ ownerId: me.id, ...over });
  await measure(id, vector);
  return id;
}

const list = async (as = me): Promise<any[]> => {
  const { status, body } = await call(app, 'GET /duplicates', { as });
  expect(status).toBe(200);
  return body;
};
const idsOf = (set: any): string[] => set.assets.map(({ id }: { id: string }) => id).sort();
const setsOf = async (as = me) => (await list(as)).map(idsOf);
const remove = (ids: readonly string[], as = me) =>
  call(app, 'DELETE /duplicates', { as, body: { ids } });
const resolve = (groups: readonly object[], as = me) =>
  call(app, 'POST /duplicates/resolve', { as, body: { groups } });

describe('sets', () => {
  test('pictures with a cosine of 0.90 and more are one; the largest is suggested', async () => {
    const one = await addPicture([1, 0, 0, 0], { fileSize: 10 });
    const copy = await addPicture([1, 0.4, 0, 0], { fileSize: 20 });
    await addPicture([1, 0, 0.6, 0]);
    await addPicture([0, 0, 0, 1]);
    await matchAll();
    const [set, ...others] = await list();
    expect(others).toEqual([]);
    expect(idsOf(set)).toEqual([one, copy].sort());
    expect(set.suggestedKeepAssetIds).toEqual([copy]);
    expect(set.assets[0].id).toBe(copy);
  });

  test('what comes later finds what was there, in the same pass or another', async () => {
    const one = await addPicture([0, 1, 0, 0]);
    await matchAll();
    const two = await addPicture([0, 1, 0.1, 0]);
    const three = await addPicture([0, 1, 0, 0.1]);
    await matchAll();
    expect(await setsOf()).toEqual([[one, two, three].sort()]);
  });

  test('measured anew and unlike the others, a picture leaves its set', async () => {
    const one = await addPicture([0, 1, 0, 0]);
    await addPicture([0, 1, 0.1, 0]);
    await matchAll();
    expect(await setsOf()).toHaveLength(1);
    await measure(one, [1, 0, 0, 0]);
    await matchAll();
    expect(await setsOf()).toEqual([]);
  });

  test('are of one account, of one type, and of videos of one length', async () => {
    await addPicture([1, 0, 0, 0]);
    const stranger = await seed(database).user();
    await addPicture([1, 0, 0, 0], { ownerId: stranger.id });
    const clip = await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 5000 });
    const copy = await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 5400 });
    await addPicture([1, 0, 0, 0], { type: 'VIDEO', durationMs: 60_000 });
    await matchAll();
    expect(await setsOf()).toEqual([[clip, copy].sort()]);
    expect(await setsOf(stranger)).toEqual([]);
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
    expect(body.map(idsOf)).toEqual([[one, archived].sort()]);
  });

  test('live photos and stacks count as one', async () => {
    const video = await addPicture([0, 1, 1, 0], { type: 'VIDEO', visibility: 'hidden' });
    const live = await addPicture([0, 1, 1, 0], { liveVideoId: video });
    const burst = await addPicture([1, 0, 0, 1]);
    const stackId = await addStack(database, me.id, burst);
    const child = { stackId, isStackChild: true };
    await addPicture([1, 0, 0, 1], child);
    await matchAll();
    expect(await setsOf()).toEqual([]);
    const outside = await addPicture([1, 0, 0, 1]);
    const still = await addPicture([0, 1, 1, 0]);
    await matchAll();
    const inOrder = (sets: readonly string[][]) => sets.map((ids) => ids.join()).toSorted();
    expect(inOrder(await setsOf())).toEqual(
      inOrder([[burst, outside].sort(), [live, still].sort()]),
    );
  });
});

describe('keeping all', () => {
  test('is remembered: also when everything is measured anew, or a part of it is left', async () => {
    const vector = [1, 1, 0, 0];
    const ids = [await addPicture(vector), await addPicture(vector), await addPicture(vector)];
    await matchAll();
    const [set] = await list();
    expect((await remove([set.duplicateId])).status).toBe(204);
    expect(await list()).toEqual([]);
    for (const id of ids) await measure(id, vector);
    await matchAll();
    expect(await list()).toEqual([]);
    await database.sql`delete from asset where id = ${ids[0]!}`;
    await matchAll();
    expect(await list()).toEqual([]);
    const added = await addPicture(vector);
    await matchAll();
    expect(await setsOf()).toEqual([[ids[1]!, ids[2]!, added].sort()]);
  });

  test('of a stack keeps all of its members', async () => {
    const primary = await addPicture([1, 1, 0, 0]);
    const stackId = await addStack(database, me.id, primary);
    const child = await addPicture([1, 1, 0, 0], { stackId, isStackChild: true });
    const outside = await addPicture([1, 1, 0, 0]);
    await matchAll();
    const [set] = await list();
    expect((await call(app, `DELETE /duplicates/${set.duplicateId}`, { as: me })).status).toBe(204);
    await database.sql`delete from stack where id = ${stackId}`;
    await database.sql`update asset set is_stack_child = false where id = ${child}`;
    expect(await setsOf()).toEqual([]);
    expect(outside).toBeString();
  });

  test('of an unknown set, or of one of somebody else, is refused alike and changes nothing', async () => {
    await addPicture([1, 1, 1, 0]);
    await addPicture([1, 1, 1, 0]);
    await matchAll();
    const [set] = await list();
    const stranger = await seed(database).user();
    const foreign = await remove([set.duplicateId], stranger);
    const unknown = await remove([crypto.randomUUID()], stranger);
    expect(foreign.status).toBe(400);
    expect(foreign.body).toEqual(unknown.body);
    expect((await remove([set.duplicateId, crypto.randomUUID()])).status).toBe(400);
    expect(await list()).toHaveLength(1);
  });
});

describe('resolving', () => {
  test('trashes some, keeps the others, and these inherit albums and the favourite', async () => {
    const vector = [0, 1, 0, 1];
    const kept = await addPicture(vector);
    const also = await addPicture(vector);
    const gone = await addPicture(vector, { isFavorite: true });
    await matchAll();
    const album = await call(app, 'POST /albums', {
      as: me,
      body: { albumName: 'x', assetIds: [gone] },
    });
    const [set] = await list();
    const { status, body } = await resolve([
      { duplicateId: set.duplicateId, keepAssetIds: [kept, also], trashAssetIds: [gone] },
    ]);
    expect(status).toBe(200);
    expect(body).toEqual([{ id: set.duplicateId, success: true }]);
    const rows = await database.sql`
      select id, trashed_at is not null as trashed, is_favorite as favorite,
        exists (select from album_asset where asset_id = asset.id
          and album_id = ${album.body.id}) as "inAlbum"
      from asset where id in ${database.sql([kept, also, gone])}`;
    const byId = new Map(rows.map(({ id, ...row }) => [id, row]));
    expect(byId.get(kept)).toEqual({ trashed: false, favorite: true, inAlbum: true });
    expect(byId.get(also)).toEqual({ trashed: false, favorite: false, inAlbum: false });
    expect(byId.get(gone)?.['trashed']).toBe(true);
    for (const id of [kept, also]) await measure(id, vector);
    await matchAll();
    expect(await list()).toEqual([]);
  });

  test('takes whole stacks into the trash', async () => {
    const primary = await addPicture([0, 1, 0, 1]);
    const stackId = await addStack(database, me.id, primary);
    const child = await addPicture([1, 0, 0, 0], { stackId, isStackChild: true });
    const single = await addPicture([0, 1, 0, 1]);
    await matchAll();
    const [set] = await list();
    await resolve([
      { duplicateId: set.duplicateId, keepAssetIds: [single], trashAssetIds: [primary] },
    ]);
    const rows = await database.sql`select id from asset
      where owner_id = ${me.id} and trashed_at is not null`;
    expect(rows.map((row): string => row['id']).sort()).toEqual([primary, child].sort());
  });

  test('answers for each set; one that is wrong leaves the others alone', async () => {
    const [a, b] = [await addPicture([1, 0, 0, 0]), await addPicture([1, 0, 0, 0])];
    const [c, d] = [await addPicture([0, 1, 0, 0]), await addPicture([0, 1, 0, 0])];
    await matchAll();
    const sets = await list();
    const idOf = (id: string) => sets.find((set) => idsOf(set).includes(id)).duplicateId;
    const unknown = crypto.randomUUID();
    const { body } = await resolve([
      { duplicateId: idOf(a), keepAssetIds: [a], trashAssetIds: [c] },
      { duplicateId: idOf(a), keepAssetIds: [a], trashAssetIds: [a] },
      { duplicateId: unknown, keepAssetIds: [], trashAssetIds: [] },
      { duplicateId: idOf(c), keepAssetIds: [c], trashAssetIds: [d] },
    ]);
    expect(body).toEqual([
      { id: idOf(a), success: false, error: 'validation' },
      { id: idOf(a), success: false, error: 'validation' },
      { id: unknown, success: false, error: 'not_found' },
      { id: idOf(c), success: true },
    ]);
    expect(await setsOf()).toEqual([[a, b].sort()]);
    const trashed = await database.sql`select id from asset
      where owner_id = ${me.id} and trashed_at is not null`;
    expect([...trashed].map(({ id }) => id)).toEqual([d]);
    const stranger = await seed(database).user();
    const foreign = await resolve(
      [{ duplicateId: idOf(a), keepAssetIds: [a], trashAssetIds: [b] }],
      stranger,
    );
    expect(foreign.body).toEqual([{ id: idOf(a), success: false, error: 'not_found' }]);
    expect(await setsOf()).toHaveLength(1);
    expect((await resolve([])).status).toBe(400);
  });
});

test('no guest and no key without the permission reads or decides anything', async () => {
  const reader = await seed(database).user(['duplicate.read']);
  const nobody = await seed(database).user(['asset.read']);
  const id = crypto.randomUUID();
  const routes = [
    ['GET', '/duplicates', undefined],
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
