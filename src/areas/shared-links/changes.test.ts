import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  type Reply,
  seed,
  type TestUser,
} from '../../../test/support/harness.ts';

const { database, app, house } = await useHousehold();

const create = (body: object, caller: Caller = { as: house.owner }): Promise<Reply> =>
  call(app, 'POST /shared-links', { ...caller, body });

const ofAssets = async (assetIds: readonly string[], over: object = {}, caller?: Caller) => {
  const { status, body } = await create({ type: 'INDIVIDUAL', assetIds, ...over }, caller);
  expect(status).toBe(201);
  return body;
};
const ofAlbum = async (over: object = {}) => {
  const { status, body } = await create({ type: 'ALBUM', albumId: house.albumId, ...over });
  expect(status).toBe(201);
  return body;
};
const patch = (id: string, body: object, as: TestUser = house.owner) =>
  call(app, `PATCH /shared-links/${id}`, { as, body });
const statusBy = async (link: { key: string }, path = '/shared-links/me') =>
  (await call(app, `GET ${path}?key=${link.key}` as 'GET /x')).status;
const anId = () => crypto.randomUUID();

describe('who may change a link', () => {
  type Ask = (link: { id: string; key: string }, caller: Caller) => Promise<Reply>;
  const asks: [string, string, Ask][] = [
    ['GET', 'sharedLink.read', (link, by) => call(app, `GET /shared-links/${link.id}`, by)],
    [
      'PATCH',
      'sharedLink.update',
      (link, by) => call(app, `PATCH /shared-links/${link.id}`, { ...by, body: { slug: 'mine' } }),
    ],
    ['DELETE', 'sharedLink.delete', (link, by) => call(app, `DELETE /shared-links/${link.id}`, by)],
    [
      'PUT assets',
      'sharedLink.update',
      (link, by) =>
        call(app, `PUT /shared-links/${link.id}/assets`, {
          ...by,
          body: { assetIds: [house.ids.plain] },
        }),
    ],
    [
      'DELETE assets',
      'sharedLink.update',
      (link, by) =>
        call(app, `DELETE /shared-links/${link.id}/assets`, {
          ...by,
          body: { assetIds: [house.ids.favorite] },
        }),
    ],
  ];
  for (const [name, permission, ask] of asks) {
    test(`${name}: the owner, and neither others, guests, nor a key without the permission`, async () => {
      const link = await ofAssets([house.ids.favorite]);
      const state = async () =>
        JSON.stringify((await call(app, `GET /shared-links/${link.id}`, { as: house.owner })).body);
      const before = await state();
      const foreign = await ask(link, { as: house.stranger });
      expect(foreign).toMatchObject({ status: 400, body: { message: 'Shared link not found' } });
      const unknown = await ask({ ...link, id: anId() }, { as: house.owner });
      expect(unknown.body).toEqual(foreign.body);
      const guest = await ask(link, { headers: { 'x-immich-share-key': link.key } });
      expect(guest.status).toBe(403);
      const weak = await seed(database).user(['asset.read']);
      const reply = await ask(link, { as: weak });
      expect(reply.status).toBe(403);
      expect(reply.body.message).toContain(permission);
      expect(await state()).toBe(before);
      expect((await ask(link, { as: house.owner })).status).toBeLessThan(300);
    });
  }
});

test('a deleted link gives no access, and its album has no link', async () => {
  const me = await seed(database).user();
  const id = await seed(database).asset({ ownerId: me.id });
  const { body: album } = await call(app, 'POST /albums', {
    as: me,
    body: { albumName: 'A', assetIds: [id] },
  });
  const hasLink = async () =>
    (await call(app, `GET /albums/${album.id}`, { as: me })).body.hasSharedLink;
  const { body: link } = await create({ type: 'ALBUM', albumId: album.id }, { as: me });
  const paths = ['/shared-links/me', `/albums/${album.id}`, `/assets/${id}`, '/timeline/buckets'];
  expect(await hasLink()).toBe(true);
  for (const path of paths) expect(await statusBy(link, path)).toBe(200);
  expect((await call(app, `DELETE /shared-links/${link.id}`, { as: me })).status).toBe(204);
  expect(await hasLink()).toBe(false);
  for (const path of paths) expect(await statusBy(link, path)).toBe(401);
  expect((await call(app, `DELETE /shared-links/${link.id}`, { as: me })).status).toBe(400);
});

describe('the assets of a link', () => {
  const change = (method: 'PUT' | 'DELETE', id: string, assetIds: string[]) =>
    call(app, `${method} /shared-links/${id}/assets`, { as: house.owner, body: { assetIds } });

  test('are added and removed, with a result for each in order', async () => {
    const { plain, favorite, locked, ofPartner } = house.ids;
    const link = await ofAssets([plain]);
    const unknown = anId();
    const put = await change('PUT', link.id, [
      plain,
      favorite,
      favorite,
      locked,
      ofPartner,
      unknown,
    ]);
    expect(put.body).toEqual([
      { assetId: plain, success: false, error: 'duplicate' },
      { assetId: favorite, success: true },
      { assetId: favorite, success: false, error: 'duplicate' },
      { assetId: locked, success: false, error: 'no_permission' },
      { assetId: ofPartner, success: true },
      { assetId: unknown, success: false, error: 'no_permission' },
    ]);
    const removed = await change('DELETE', link.id, [favorite, locked, favorite]);
    expect(removed.body).toEqual([
      { assetId: favorite, success: true },
      { assetId: locked, success: false, error: 'not_found' },
      { assetId: favorite, success: false, error: 'not_found' },
    ]);
    const { body } = await call(app, `GET /shared-links/${link.id}`, { as: house.owner });
    const names = house.getNames(body.assets.map(({ id }: { id: string }) => id));
    expect(names).toEqual(['ofPartner', 'plain']);
  });

  test('EP-013: cannot be changed for a link to an album → 400', async () => {
    const link = await ofAlbum();
    for (const method of ['PUT', 'DELETE'] as const) {
      const reply = await change(method, link.id, [house.ids.plain]);
      expect(reply).toMatchObject({
        status: 400,
        body: { message: 'Invalid shared link type' },
      });
    }
  });
});

test('an expired link is refused everywhere, and its owner still sees it', async () => {
  const link = await ofAssets([house.ids.plain], { expiresAt: NOW.toISOString() });
  const { plain } = house.ids;
  const paths = ['/shared-links/me', `/assets/${plain}`, `/assets/${plain}/thumbnail`];
  const more = [`/assets/${plain}/original`, '/timeline/buckets', `/albums/${house.albumId}`];
  for (const path of [...paths, ...more]) expect(await statusBy(link, path)).toBe(401);
  expect((await call(app, `GET /shared-links/${link.id}`, { as: house.owner })).status).toBe(200);
  await patch(link.id, { expiresAt: null });
  expect(await statusBy(link)).toBe(200);
});
