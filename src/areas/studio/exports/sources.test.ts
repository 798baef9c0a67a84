import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { call, type Caller, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { getFilmPath } from './files.ts';

let studio: Studio;
let owner: TestUser;
let friend: TestUser;
/** Belongs to `owner`. */
let assetId: string;
/** Belongs to `owner`, shared with `friend`; shows `assetId`. */
let albumId: string;
/** Film of `friend` of an item of its own, which nothing here takes away. */
let whole: string;
beforeAll(async () => {
  studio = await openStudio();
  friend = await seed(studio.database).user();
  whole = await makeFilm(friend, await studio.add(friend, 'short.mp4'));
});
afterAll(() => studio.close());
beforeEach(async () => {
  owner = await seed(studio.database).user();
  assetId = await studio.add(owner, 'short.mp4');
  const albumUsers = [{ userId: friend.id, role: 'editor' }];
  const body = { albumName: 'Sea', albumUsers, assetIds: [assetId] };
  albumId = (await call(studio.app, 'POST /albums', { as: owner, body })).body.id;
  await unlock(studio.database, owner);
});

/** Makes a film that shows an asset for a second. Returns the id of the export. */
async function makeFilm(as: TestUser, shown: string): Promise<string> {
  const project = await studio.makeProject(as, [shown], 1);
  return exportProject(as, project.id, 1);
}
async function exportProject(as: TestUser, id: string, revision: number): Promise<string> {
  const body = { revision, destination: 'download', height: 96 };
  const ordered = await call(studio.app, `POST /studio/projects/${id}/exports`, { as, body });
  expect(ordered.status).toBe(201);
  await studio.export(ordered.body.id);
  return ordered.body.id;
}
const download = async (id: string, caller: Caller): Promise<number> =>
  (await send(studio.app, `GET /studio/exports/${id}/file`, caller)).status;
const isThere = (id: string): boolean => existsSync(getFilmPath(studio.database.deps.paths, id));

/** By key and by session, also one with the PIN. */
const listStatuses = async (id: string, as: TestUser): Promise<number[]> => [
  await download(id, { as }),
  await download(id, { session: as }),
];

const act = async (
  route: `${'POST' | 'PUT' | 'DELETE'} /${string}`,
  as: TestUser,
  body?: object,
) => {
  const { status } = await call(studio.app, route, { session: as, ...(body && { body }) });
  expect([200, 204]).toContain(status);
};
const bulk = (over: object = {}) => ({ ids: [assetId], ...over });

/** How `friend` loses an asset of the album. */
const LOSSES: Readonly<Record<string, () => Promise<unknown>>> = {
  'the item is locked': () => act('POST /assets/lock', owner, bulk()),
  'the item is trashed': () => act('DELETE /assets', owner, bulk()),
  'the item is deleted': () => act('DELETE /assets', owner, bulk({ force: true })),
  'the item leaves the album': () => act(`DELETE /albums/${albumId}/assets`, owner, bulk()),
  'the member leaves the album': () => act(`DELETE /albums/${albumId}/user/me`, friend),
  'the member is removed': () => act(`DELETE /albums/${albumId}/user/${friend.id}`, owner),
  'the album is deleted': () => act(`DELETE /albums/${albumId}`, owner),
};

test.each(Object.keys(LOSSES))('a film of a member is gone for good once %s', async (loss) => {
  const id = await makeFilm(friend, assetId);
  for (const one of [id, whole]) expect(await listStatuses(one, friend)).toEqual([200, 200]);
  expect(await listStatuses(id, owner)).toEqual([404, 404]);
  await LOSSES[loss]!();
  expect(await listStatuses(id, friend)).toEqual([404, 404]);
  const { body } = await call(studio.app, `GET /studio/exports/${id}`, { as: friend });
  expect(body).toMatchObject({
    state: 'failed',
    error: 'An item of it is not available any more',
    sizeInBytes: null,
    expiresAt: null,
  });
  await studio.clean(0);
  expect([isThere(id), isThere(whole)]).toEqual([false, true]);
  const { sql } = studio.database;
  await sql`update asset set locked_at = null, trashed_at = null where id = ${assetId}`;
  expect(await listStatuses(id, friend)).toEqual([404, 404]);
  expect(await listStatuses(whole, friend)).toEqual([200, 200]);
});

test('a film that nobody asks for is deleted by the cleaning', async () => {
  const id = await makeFilm(friend, assetId);
  await studio.clean(0);
  expect(isThere(id)).toBe(true);
  await LOSSES['the member is removed']!();
  await studio.clean(0);
  expect(isThere(id)).toBe(false);
});

test('a film of a partner goes when the partner archives its item or shares nothing any more', async () => {
  const { sql } = studio.database;
  await sql`delete from album where id = ${albumId}`;
  await sql`insert into partner (sharer_id, viewer_id) values (${owner.id}, ${friend.id})`;
  const first = await makeFilm(friend, assetId);
  const own = await makeFilm(owner, assetId);
  expect(await listStatuses(first, friend)).toEqual([200, 200]);
  await act('PUT /assets', owner, bulk({ visibility: 'archive' }));
  expect(await listStatuses(first, friend)).toEqual([404, 404]);
  await act('PUT /assets', owner, bulk({ visibility: 'timeline' }));
  expect(await listStatuses(first, friend)).toEqual([404, 404]);
  const second = await makeFilm(friend, assetId);
  await act(`DELETE /partners/${friend.id}`, owner);
  expect(await listStatuses(second, friend)).toEqual([404, 404]);
  expect([isThere(first), isThere(second)]).toEqual([false, false]);
  // The owner has lost nothing.
  expect(await listStatuses(own, owner)).toEqual([200, 200]);
});

test('a film goes when its project is not shared any more', async () => {
  const project = await studio.makeProject(owner, [assetId], 1);
  const body = { expectedRevision: 1, document: project.document, albumId };
  const shared = await call(studio.app, `PUT /studio/projects/${project.id}`, { as: owner, body });
  const { revision } = shared.body;
  const id = await exportProject(friend, project.id, revision);
  expect(await listStatuses(id, friend)).toEqual([200, 200]);
  await act(`PUT /studio/projects/${project.id}`, owner, {
    ...body,
    expectedRevision: revision,
    albumId: null,
  });
  expect(await listStatuses(id, friend)).toEqual([404, 404]);
  await studio.clean(0);
  expect(isThere(id)).toBe(false);
});

test('a film that cannot be made tells the item without which it cannot, to whom may see that', async () => {
  const project = await studio.makeProject(friend, [assetId], 1);
  const route = `/studio/projects/${project.id}/exports` as const;
  const body = { revision: 1, destination: 'download', height: 96 };
  const { id } = (await call(studio.app, `POST ${route}`, { as: friend, body })).body;
  await studio.database
    .sql`update asset set broken_reason = 'broken: no frames' where id = ${assetId}`;
  await studio.export(id);
  const read = async () => [
    (await call(studio.app, `GET /studio/exports/${id}`, { as: friend })).body,
    ...(await call(studio.app, `GET ${route}`, { as: friend })).body,
  ];
  const failure = { state: 'failed', error: 'An item of the project is not available' };
  for (const run of await read())
    expect(run).toMatchObject({ ...failure, unavailableAssetId: assetId });
  await LOSSES['the item is locked']!();
  const [clip] = (await call(studio.app, `GET /studio/projects/${project.id}`, { as: friend })).body
    .document.clips;
  for (const run of await read()) {
    expect(JSON.stringify(run)).not.toContain(assetId);
    expect(run).toMatchObject({ ...failure, unavailableAssetId: clip.assetId });
  }
});

test('a film in the library stays, whatever becomes of its items', async () => {
  const project = await studio.makeProject(owner, [assetId], 1);
  const body = { revision: 1, destination: 'library', height: 96 };
  const ordered = await call(studio.app, `POST /studio/projects/${project.id}/exports`, {
    as: owner,
    body,
  });
  await studio.export(ordered.body.id);
  const path = `GET /studio/exports/${ordered.body.id}` as const;
  const before = (await call(studio.app, path, { as: owner })).body;
  await LOSSES['the item is locked']!();
  await studio.clean(0);
  expect((await call(studio.app, path, { as: owner })).body).toEqual(before);
  const { status } = await send(studio.app, `GET /assets/${before.assetId}/original`, {
    as: owner,
  });
  expect(status).toBe(200);
});
