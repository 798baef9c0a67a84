import { beforeEach, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addStack, seedHousehold, unlock } from '../../../../test/support/household.ts';
import { sessions } from '../../../db/tables/identity.ts';
import { albumAssets, albums } from '../../../db/tables/albums.ts';
import { assets } from '../../../db/tables/assets.ts';
import { tagAssets, tags } from '../../../db/tables/tags.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });
const listAssetRows = (ids: readonly string[]) =>
  database.db
    .select()
    .from(assets)
    .where(inArray(assets.id, [...ids]))
    .orderBy(assets.id);
const isLocked = async (ids: readonly string[]) =>
  (await listAssetRows(ids)).map((row) => row.lockedAt !== null);
const lock = (ids: readonly string[], who: object = { as: me }) =>
  call(app, 'POST /assets/lock', { ...who, body: { ids } });
const unlockIds = (ids: readonly string[], who: object = { session: me }) =>
  call(app, 'POST /assets/unlock', { ...who, body: { ids } });

async function addToAlbum(assetId: string, ownerId = me.id): Promise<string> {
  const [album] = await database.db.insert(albums).values({ ownerId, name: 'a' }).returning();
  await database.db.insert(albumAssets).values({ albumId: album!.id, assetId });
  return album!.id;
}

async function addTag(assetId: string): Promise<string> {
  const [tag] = await database.db.insert(tags).values({ ownerId: me.id, value: 'T' }).returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId });
  return tag!.id;
}

/** Creates a stack of a primary, a hidden member and an archived member. */
async function addStackOfThree(): Promise<string[]> {
  const primary = await add();
  const stackId = await addStack(database, me.id, primary);
  const child = await add({ stackId, isStackChild: true });
  return [primary, child, await add({ stackId, visibility: 'archive' })];
}

async function addLivePhoto(values: object = {}): Promise<[still: string, video: string]> {
  const video = await add({ type: 'VIDEO', visibility: 'hidden', ...values });
  return [await add({ liveVideoId: video, ...values }), video];
}

test('ST-039: locked assets appear in no view and in no count', async () => {
  const [id, other] = [await add({ isFavorite: true }), await add()];
  const albumId = await addToAlbum(id);
  const tagId = await addTag(id);
  expect((await lock([id])).status).toBe(204);

  const get = async (path: string, who: object = { session: me }) =>
    (await call(app, `GET ${path}` as 'GET /', who)).body;
  const month = 'timeBucket=2026-01-01';
  const listed = async (query: string) =>
    (await get(`/timeline/bucket?${month}&${query}`)).id ?? [];
  expect(await listed('')).toEqual([other]);
  for (const query of [
    'isFavorite=true',
    'visibility=archive',
    `albumId=${albumId}`,
    'isTrashed=true',
  ])
    expect(await listed(query)).toEqual([]);
  expect(await get(`/albums/${albumId}`)).toMatchObject({ assetCount: 0 });
  expect(await get('/assets/statistics')).toMatchObject({ total: 1 });
  const counts = await get('/tags/statistics');
  expect(counts.find((count: { id: string }) => count.id === tagId)?.assetCount ?? 0).toBe(0);
  const found = await call(app, 'POST /search/metadata', { session: me, body: {} });
  expect(found.body.assets.items.map((item: { id: string }) => item.id)).toEqual([other]);
  expect((await call(app, `GET /assets/${id}`, { session: me })).status).toBe(400);
  const locked = `GET /timeline/bucket?${month}&visibility=locked` as const;
  expect((await call(app, locked, { session: me })).status).toBe(401);

  await unlock(database, me);
  expect((await call(app, locked, { session: me })).body.id).toEqual([id]);
  // Also then, no other view has it.
  expect(await listed('')).toEqual([other]);
  expect(await listed(`albumId=${albumId}`)).toEqual([]);
});

test('ST-040: only the owner can lock, and one asset of another user refuses the whole request', async () => {
  const house = await seedHousehold(database);
  const { plain, archived } = house.ids;
  const before = await listAssetRows(Object.values(house.ids));
  for (const who of [house.member, house.viewer, house.partner, house.stranger]) {
    const reply = await lock([plain], { as: who });
    expect(reply).toMatchObject({ status: 400, body: { code: 'no_access' } });
  }
  const own = await add();
  expect((await lock([own, plain])).status).toBe(400);
  expect((await lock([own, crypto.randomUUID()])).status).toBe(400);
  expect(await isLocked([own])).toEqual([false]);
  await unlock(database, house.owner);
  expect((await unlockIds([archived, own], { session: house.owner })).status).toBe(400);
  const weak = await seed(database).user(['asset.read', 'asset.delete']);
  expect((await lock([plain], { as: weak })).status).toBe(403);
  const link = await call(app, 'POST /assets/lock?slug=assets', { body: { ids: [plain] } });
  expect(link.status).toBe(403);
  expect((await lock([plain], {})).status).toBe(401);
  expect(await listAssetRows(Object.values(house.ids))).toEqual(before);
});

test('ST-041: locking any member locks the whole stack or live photo', async () => {
  for (const which of [0, 1, 2]) {
    const stack = await addStackOfThree();
    const other = await add();
    expect((await lock([stack[which]!])).status).toBe(204);
    expect(await isLocked(stack)).toEqual([true, true, true]);
    expect(await isLocked([other])).toEqual([false]);
  }
  for (const which of [0, 1] as const) {
    const pair = await addLivePhoto();
    await lock([pair[which]]);
    expect(await isLocked(pair)).toEqual([true, true]);
  }
  // A live photo in a stack: all of both.
  const [still, video] = await addLivePhoto();
  const stack = await addStackOfThree();
  const { stackId } = (await listAssetRows([stack[0]!]))[0]!;
  await database.sql`update asset set stack_id = ${stackId} where id = ${still}`;
  await lock([video]);
  expect(await isLocked([...stack, still, video])).toEqual([true, true, true, true, true]);
});

test('ST-042: unlocking restores the visibility and albums that the assets had', async () => {
  const id = await add({ visibility: 'archive', isFavorite: true });
  const albumIds = [await addToAlbum(id), await addToAlbum(id)];
  const tagId = await addTag(id);
  const stack = await addStackOfThree();
  const trashed = await add({ trashedAt: NOW });
  const ids = [id, ...stack, trashed];
  const facts = async () =>
    (await listAssetRows(ids)).map((row) => ({ ...row, updatedAt: 0, stateRevision: 0 }));
  const before = await facts();
  await lock([id, stack[1]!, trashed]);
  expect(await isLocked(ids)).toEqual([true, true, true, true, true]);

  await unlock(database, me);
  expect((await unlockIds([id, stack[2]!, trashed])).status).toBe(204);
  expect(await facts()).toEqual(before);
  for (const albumId of albumIds) {
    const { body } = await call(app, `GET /albums/${albumId}`, { as: me });
    expect(body.assetCount).toBe(1);
  }
  const { body } = await call(app, `GET /assets/${id}`, { as: me });
  expect(body).toMatchObject({ visibility: 'archive', isFavorite: true, tags: [{ id: tagId }] });
});

test('ST-043: unlocking restores albums and stacks whichever operation locked the asset', async () => {
  const stack = await addStackOfThree();
  const albumId = await addToAlbum(stack[0]!);
  const put = (body: object, who: object = { as: me }) =>
    call(app, `PUT /assets/${stack[0]}`, { ...who, body });
  expect((await put({ visibility: 'locked' })).status).toBe(200);
  expect(await isLocked(stack)).toEqual([true, true, true]);
  await unlock(database, me);
  expect((await unlockIds([stack[1]!])).status).toBe(204);
  expect(await isLocked(stack)).toEqual([false, false, false]);
  expect((await call(app, `GET /albums/${albumId}`, { as: me })).body.assetCount).toBe(1);

  await lock([stack[2]!]);
  expect((await put({ visibility: 'timeline' }, { session: me })).status).toBe(200);
  expect(await isLocked(stack)).toEqual([false, false, false]);
  // Only what is named goes to another scope.
  await lock([stack[2]!]);
  expect((await put({ visibility: 'archive' }, { session: me })).status).toBe(200);
  expect((await listAssetRows(stack)).find((row) => row.id === stack[0])!.visibility).toBe(
    'archive',
  );
  expect((await listAssetRows(stack)).find((row) => row.id === stack[1])!.visibility).toBe(
    'timeline',
  );
});

test('ST-044: unlocking without the PIN is refused', async () => {
  const id = await add({ lockedAt: NOW });
  for (const who of [{ session: me }, { as: me }]) {
    const reply = await unlockIds([id], who);
    expect(reply).toMatchObject({ status: 401, body: { code: 'elevation_required' } });
  }
  expect((await unlockIds([id], {})).status).toBe(401);
  expect(await isLocked([id])).toEqual([true]);
});

test('AU-016: an API key unlocks only with the permission and an unlocked session of its own user', async () => {
  await unlock(database, me);
  const id = await add({ lockedAt: NOW });
  const stranger = await seed(database).user();
  expect((await unlockIds([id], { session: me, as: stranger })).status).toBe(401);
  const weak = await seed(database).user(['asset.read']);
  await unlock(database, weak);
  expect((await unlockIds([id], { session: weak, as: weak })).status).toBe(403);
  expect(await isLocked([id])).toEqual([true]);
  expect((await unlockIds([id], { session: me, as: me })).status).toBe(204);
  expect(await isLocked([id])).toEqual([false]);
});

test('AU-017: an expired PIN session does not unlock', async () => {
  const id = await add({ lockedAt: NOW });
  await unlock(database, me);
  await database.db.update(sessions).set({ elevatedUntil: new Date(NOW.getTime() - 1) });
  expect(await unlockIds([id])).toMatchObject({
    status: 401,
    body: { code: 'elevation_required' },
  });
  expect(await isLocked([id])).toEqual([true]);
});

test('repeating the request changes nothing', async () => {
  const [still, video] = await addLivePhoto();
  await lock([still]);
  const before = await listAssetRows([still, video]);
  expect((await lock([still, still.toUpperCase(), video])).status).toBe(204);
  expect(await listAssetRows([still, video])).toEqual(before);
  await unlock(database, me);
  for (let n = 0; n < 2; n++) expect((await unlockIds([still])).status).toBe(204);
  expect(await isLocked([still, video])).toEqual([false, false]);
  expect((await lock([])).status).toBe(204);
});

test('concurrent lock and unlock leave a stack wholly locked or wholly unlocked', async () => {
  await unlock(database, me);
  for (let round = 0; round < 5; round++) {
    const stack = await addStackOfThree();
    const replies = await Promise.all(
      stack.flatMap((id) => [lock([id]), unlockIds([id]), lock([id])]),
    );
    expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 9 }, () => 204));
    expect(new Set(await isLocked(stack)).size).toBe(1);
  }
});
