import { expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { deleteForGood } from '../support/deletion.ts';
import { call, type NewAsset, type Reply, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { listTimeline as listShown } from '../support/timeline.ts';

// Pictures of stacks and albums go to the trash, and come back.

const { database, app } = await useApp();

type Route = Parameters<typeof call>[1];
const send = (route: string, as: TestUser, body?: object): Promise<Reply> =>
  call(app, route as Route, { as, ...(body && { body }) });
const addUser = () => seed(database).user();
const add = (owner: TestUser, over: Partial<NewAsset> = {}) =>
  seed(database).asset({ ownerId: owner.id, ...over });
const toIds = (items: readonly Json[]) => items.map(({ id }) => id as string).sort();

const listTimeline = (as: TestUser, query?: string) => listShown(app, as, query);
const listTrash = (as: TestUser) => listTimeline(as, 'isTrashed=true');

async function makeStack(owner: TestUser, size = 3) {
  const assetIds: string[] = [];
  for (let n = 0; n < size; n++) assetIds.push(await add(owner));
  const { body } = await send('POST /stacks', owner, { assetIds });
  return { id: body.id as string, assetIds };
}

async function makeAlbum(owner: TestUser, assetIds: readonly string[], members: object[] = []) {
  const body = { albumName: 'a', assetIds, albumUsers: members };
  return (await send('POST /albums', owner, body)).body.id as string;
}

test('545: emptying the trash brings no shown picture of a stack back', async () => {
  const me = await addUser();
  const { assetIds } = await makeStack(me, 2);
  const [shown, other] = assetIds as [string, string];
  const alone = await add(me);
  await send('DELETE /assets', me, { ids: [shown, alone] });
  const trashed = await listTrash(me);
  expect(trashed).toContain(shown);
  await send('POST /trash/empty', me);
  expect(await listTrash(me)).toEqual([]);
  const left = await listTimeline(me);
  expect(left).not.toContain(shown);
  expect(left).not.toContain(alone);
  expect(trashed.includes(other) ? [] : [other]).toEqual(left);
});

test('546: what is left of a stack whose shown picture is deleted is in the timeline', async () => {
  const me = await addUser();
  const { id, assetIds } = await makeStack(me);
  const [shown, second, third] = assetIds as [string, string, string];
  await send(`DELETE /stacks/${id}/assets/${shown}`, me);
  await send('DELETE /assets', me, { ids: [shown] });
  const timeline = await listTimeline(me);
  expect(timeline.some((one) => one === second || one === third)).toBe(true);
  expect(timeline).not.toContain(shown);
  await deleteForGood(database, [shown]);
  const stacks = (await send('GET /stacks', me)).body;
  expect(stacks.map(({ assets }: Json) => toIds(assets))).toEqual([[second, third].sort()]);
  expect([second, third]).toContain(stacks[0].primaryAssetId);
});

test('547: a stack with archived members is deleted as others are', async () => {
  const me = await addUser();
  const { assetIds } = await makeStack(me);
  await send('PUT /assets', me, { ids: [assetIds[1]], visibility: 'archive' });
  expect((await send('DELETE /assets', me, { ids: assetIds })).status).toBe(204);
  expect(await listTimeline(me)).toEqual([]);
  const restored = await send('POST /trash/restore', me);
  expect(restored.status).toBe(200);
  expect((await send('GET /stacks', me)).body.map(({ assets }: Json) => assets.length)).toEqual([
    3,
  ]);
});

test('548: what comes back from the trash is in its albums, a favorite, the cover again', async () => {
  const [me, member] = [await addUser(), await addUser()];
  const [first, second] = [await add(me, { isFavorite: true }), await add(me)];
  const album = await makeAlbum(me, [first, second], [{ userId: member.id, role: 'viewer' }]);
  await send(`PATCH /albums/${album}`, me, { albumThumbnailAssetId: first });
  await send('DELETE /assets', me, { ids: [first] });
  const without = (await send(`GET /albums/${album}`, member)).body;
  expect([without.assetCount, without.albumThumbnailAssetId]).toEqual([1, second]);
  expect((await send(`GET /assets/${first}`, member)).status).toBe(400);
  await send('POST /trash/restore/assets', me, { ids: [first] });
  const again = (await send(`GET /albums/${album}`, member)).body;
  expect([again.assetCount, again.albumThumbnailAssetId]).toEqual([2, first]);
  expect((await send(`GET /assets/${first}`, me)).body.isFavorite).toBe(true);
});
