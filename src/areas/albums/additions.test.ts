import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../../test/support/forms.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import {
  enableMail,
  listMail,
  listNotifications,
  setPreferences,
} from '../../../test/support/notifications.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordAddition } from './additions.domain.ts';
import { handleNotifyOfAdditions } from './handlers.ts';

const { database, app } = await useApp();
let owner: TestUser;
let editor: TestUser;
let viewer: TestUser;
let stranger: TestUser;
let albumId: string;
beforeAll(async () => {
  await enableMail(database);
});
beforeEach(async () => {
  await database.sql`delete from job where name = 'albums.notifyOfAdditions'`;
  const user = () => seed(database).user();
  [owner, editor, viewer, stranger] = [await user(), await user(), await user(), await user()];
  const albumUsers = [
    { userId: editor.id, role: 'editor' },
    { userId: viewer.id, role: 'viewer' },
  ];
  const assetIds = [await asset(owner)];
  const body = { albumName: 'Sea', albumUsers, assetIds };
  albumId = (await call(app, 'POST /albums', { as: owner, body })).body.id;
  // The invitations are no subject here.
  await database.sql`delete from notification`;
  await database.sql`delete from mail_message`;
});

const asset = (of: TestUser, over: object = {}) =>
  seed(database).asset({ ownerId: of.id, ...over });
const add = (as: TestUser, ids: readonly string[], id = albumId) =>
  call(app, `PUT /albums/${id}/assets`, { as, body: { ids } });
const listJobs = () => database.sql`
  select payload ->> 'albumId' as id, run_at > now() + interval '290 seconds' as "isDelayed"
  from job where name = 'albums.notifyOfAdditions'`;

/** Runs the job of the album as the queue does. */
async function tell(id = albumId): Promise<void> {
  await database.sql`delete from job where name = 'albums.notifyOfAdditions'`;
  const effect = await handleNotifyOfAdditions(jobCtx(database), { albumId: id });
  await database.db.transaction(async (tx) => void (await effect!(tx)));
}

/** Returns the number of new items that each account is told of, by notification. */
async function listCounts(...accounts: TestUser[]): Promise<unknown[][]> {
  const lists = await Promise.all(accounts.map((as) => listNotifications(app, as)));
  return lists.map((list) => list.map(({ data }) => data!['count']));
}

test('owner and members learn what others have added, once for all of five minutes', async () => {
  await add(editor, [await asset(editor), await asset(editor)]);
  await add(editor, [await asset(editor)]);
  await add(owner, [await asset(owner)]);
  expect(await listJobs()).toEqual([{ id: albumId, isDelayed: true }] as never);
  expect(await listCounts(owner, editor, viewer)).toEqual([[], [], []]);
  await tell();
  expect(await listCounts(owner, editor, viewer, stranger)).toEqual([[3], [1], [4], []]);
  expect((await listNotifications(app, viewer))[0]).toMatchObject({
    type: 'AlbumUpdate',
    level: 'info',
    title: 'Shared Album Update',
    description: 'New media has been added to the album (Sea)',
    createdAt: NOW.toISOString(),
    data: { kind: 'albumUpdate', albumId, albumName: 'Sea', count: 4 },
  });
  const mail = [owner, editor, viewer].map(({ id }) => `album-update ${id}`);
  expect((await listMail(database)).toSorted()).toEqual(mail.toSorted());
  await tell();
  expect(await listCounts(owner, editor, viewer)).toEqual([[3], [1], [4]]);
  expect(await listMail(database)).toHaveLength(3);
});

test('what is added later is told again, and added to what has not been read', async () => {
  const first = await asset(editor);
  await add(editor, [first]);
  await tell();
  await add(editor, [await asset(editor), first]);
  await tell();
  expect(await listCounts(owner, viewer)).toEqual([[2], [2]]);
  expect(await listMail(database)).toHaveLength(4);
});

test('additions to several albums are told by album; those without company to nobody', async () => {
  const make = async (as: TestUser, body: object = {}) =>
    (await call(app, 'POST /albums', { as, body: { albumName: 'B', ...body } })).body.id;
  const alone = await make(editor);
  const albumUsers = [{ userId: editor.id, role: 'editor' }];
  const shared = await make(stranger, { albumUsers });
  const body = { albumIds: [albumId, alone, shared], assetIds: [await asset(editor)] };
  expect((await call(app, 'PUT /albums/assets', { as: editor, body })).body.success).toBe(true);
  const told = (await listJobs()).map((row) => row['id'] as string);
  expect(new Set(told)).toEqual(new Set([albumId, shared]));
  for (const id of [albumId, alone, shared]) await tell(id);
  expect(await listCounts(owner, viewer, stranger)).toEqual([[1], [1], [1]]);
  // The invitation only.
  expect(await listCounts(editor)).toEqual([[undefined]]);
});

test('uploads through a shared link are told to all, also to an owner alone', async () => {
  const body = { type: 'ALBUM', albumId, allowUpload: true };
  const { key } = (await call(app, 'POST /shared-links', { as: owner, body })).body;
  const guest = { query: `?key=${key}` };
  const photo = photoForm(randomFileBytes());
  expect((await upload(app, photo, guest)).body.status).toBe('created');
  expect((await upload(app, photo, guest)).body.status).toBe('duplicate');
  await upload(app, photoForm(randomFileBytes()), guest);
  await tell();
  expect(await listCounts(owner, editor, viewer)).toEqual([[2], [2], [2]]);

  const alone = (await call(app, 'POST /albums', { as: stranger, body: { albumName: 'B' } })).body;
  const link = await call(app, 'POST /shared-links', {
    as: stranger,
    body: { ...body, albumId: alone.id },
  });
  await upload(app, photoForm(randomFileBytes()), { query: `?key=${link.body.key}` });
  await tell(alone.id);
  expect(await listCounts(stranger)).toEqual([[1]]);
});

test('the count has only what the recipient may see', async () => {
  const [plain, locked, trashed] = [await asset(editor), await asset(editor), await asset(editor)];
  await add(editor, [plain, locked, trashed]);
  await database.sql`update asset set locked_at = now() where id = ${locked}`;
  await database.sql`update asset set trashed_at = now() where id = ${trashed}`;
  await tell();
  expect(await listCounts(owner, viewer)).toEqual([[1], [1]]);

  await add(editor, [await asset(editor)]);
  await database.sql`update asset set locked_at = now() where owner_id = ${editor.id}`;
  await database.sql`delete from notification`;
  await tell();
  expect(await listCounts(owner, viewer)).toEqual([[], []]);
});

test('who has left, is removed, or came later is told nothing, and no one of a removed owner', async () => {
  const removed = await seed(database).user();
  const share = (who: TestUser) =>
    call(app, `PUT /albums/${albumId}/users`, {
      as: owner,
      body: { albumUsers: [{ userId: who.id }] },
    });
  await share(removed);
  await add(editor, [await asset(editor)]);
  await call(app, `DELETE /albums/${albumId}/user/me`, { as: viewer });
  await share(stranger);
  await database.sql`update app_user set deleted_at = now(), status = 'deleted' where id = ${removed.id}`;
  await tell();
  expect(await listCounts(owner, viewer, stranger)).toEqual([[1], [], [undefined]]);
  const toRemoved = await database.sql`
    select data ->> 'kind' as kind from notification where owner_id = ${removed.id}`;
  expect(toRemoved.map((row) => row['kind'])).toEqual(['albumInvite']);

  await add(editor, [await asset(editor)]);
  await database.sql`update app_user set deleted_at = now(), status = 'deleted' where id = ${owner.id}`;
  await tell();
  expect(await listCounts(stranger)).toEqual([[undefined]]);
});

test('who has switched it off gets mail only', async () => {
  await setPreferences(app, viewer, { albumUpdate: false });
  await add(editor, [await asset(editor)]);
  await tell();
  expect(await listCounts(owner, viewer)).toEqual([[1], []]);
  expect(await listMail(database)).toContain(`album-update ${viewer.id}`);
});

test('refused, repeated and rolled back additions are not told', async () => {
  const [own] = (await call(app, `GET /albums/${albumId}`, { as: owner })).body.assets ?? [];
  const theirs = await asset(stranger);
  expect((await add(viewer, [await asset(viewer)])).status).toBe(400);
  expect((await add(stranger, [theirs])).status).toBe(400);
  await add(editor, [theirs, ...(own ? [own.id] : [])]);
  const weak = await seed(database).user(['asset.read']);
  expect((await add(weak, [await asset(weak)])).status).toBe(403);
  const rolledBack = inTransaction(database.deps, async ({ db }) => {
    await recordAddition(db, albumId, editor.id);
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  expect(await listJobs()).toEqual([] as never);
  await tell();
  expect(await listCounts(owner, editor, viewer)).toEqual([[], [], []]);
});
