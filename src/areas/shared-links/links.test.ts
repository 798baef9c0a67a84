import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useHousehold } from '../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  type Reply,
  seed,
  type TestUser,
} from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { sharedLinks } from '../../db/tables/albums.ts';

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
const getPasswordHash = async (id: string) => {
  const [row] = await database.db.select().from(sharedLinks).where(eq(sharedLinks.id, id));
  return row!.passwordHash;
};
const anId = () => crypto.randomUUID();

describe('creating', () => {
  test('a link to assets lists them, oldest first, with what it allows', async () => {
    const { plain, archived, favorite } = house.ids;
    const link = await ofAssets([plain, archived, favorite, plain], {
      description: 'for you',
      expiresAt: '2030-01-01T02:00:00+02:00',
      slug: 'spring',
      allowUpload: true,
    });
    expect(link).toMatchObject({
      userId: house.owner.id,
      type: 'INDIVIDUAL',
      slug: 'spring',
      description: 'for you',
      password: null,
      expiresAt: '2030-01-01T00:00:00.000Z',
      allowDownload: true,
      allowUpload: true,
      showMetadata: true,
      createdAt: NOW.toISOString(),
    });
    expect(Buffer.from(link.key, 'base64url')).toHaveLength(50);
    expect(house.getNames(link.assets.map(({ id }: { id: string }) => id))).toEqual([
      'archived',
      'favorite',
      'plain',
    ]);
    expect(link).not.toHaveProperty('album');
  });

  test('a link to an album names the album', async () => {
    const link = await ofAlbum();
    expect(link).toMatchObject({ type: 'ALBUM', assets: [] });
    expect(link.album).toMatchObject({ id: house.albumId, hasSharedLink: true });
  });

  test('by default guests may upload to an album that the caller may edit, and never to a link of assets', async () => {
    expect(await ofAlbum()).toMatchObject({ allowUpload: true });
    expect(await ofAlbum({ allowUpload: false })).toMatchObject({ allowUpload: false });
    const key = await seed(database).user([
      'sharedLink.create',
      'asset.read',
      'asset.view',
      'asset.download',
    ]);
    await database.sql`update api_key set user_id = ${house.owner.id} where user_id = ${key.id}`;
    const body = { type: 'ALBUM', albumId: house.albumId };
    const weak = await call(app, 'POST /shared-links', { as: key, body });
    expect(weak).toMatchObject({ status: 201, body: { allowUpload: false } });
    const photo = { type: 'INDIVIDUAL', assetIds: [house.ids.plain] };
    const one = await call(app, 'POST /shared-links', { as: house.owner, body: photo });
    expect(one).toMatchObject({ status: 201, body: { allowUpload: true } });
    const weakOne = await call(app, 'POST /shared-links', { as: key, body: photo });
    expect(weakOne).toMatchObject({ status: 201, body: { allowUpload: false } });
  });

  const refused: [string, () => object, () => Caller, number][] = [
    ['assets of nobody', () => ({ assetIds: [] }), () => ({ as: house.owner }), 400],
    ['no assets', () => ({}), () => ({ as: house.owner }), 400],
    ['no album', () => ({ type: 'ALBUM' }), () => ({ as: house.owner }), 400],
    ['another type', () => ({ type: 'individual' }), () => ({ as: house.owner }), 400],
    [
      'an expiry without an offset',
      () => ({ assetIds: [house.ids.plain], expiresAt: '2030-01-01T00:00:00' }),
      () => ({ as: house.owner }),
      400,
    ],
    [
      'the mask of a password as password',
      () => ({ assetIds: [house.ids.plain], password: '********' }),
      () => ({ as: house.owner }),
      400,
    ],
    [
      'CVE-2026-57943: an asset of a stranger beside an own one',
      () => ({ assetIds: [house.ids.plain, house.ids.archivedOfPartner] }),
      () => ({ as: house.owner }),
      400,
    ],
    [
      'CVE-2026-57943: an unknown asset',
      () => ({ assetIds: [anId()] }),
      () => ({ as: house.owner }),
      400,
    ],
    [
      'CVE-2026-57943: an asset that one sees in an album of somebody else',
      () => ({ assetIds: [house.ids.plain] }),
      () => ({ as: house.member }),
      400,
    ],
    [
      'an album by a member of it',
      () => ({ type: 'ALBUM', albumId: house.albumId }),
      () => ({ as: house.member }),
      400,
    ],
    ['by nobody', () => ({ assetIds: [house.ids.plain] }), () => ({}), 401],
  ];
  for (const [name, body, caller, status] of refused) {
    test(`${name} → ${status}, and there is no new link`, async () => {
      const before = await database.db.$count(sharedLinks);
      const reply = await create({ type: 'INDIVIDUAL', ...body() }, caller());
      expect(reply.status).toBe(status);
      expect(await database.db.$count(sharedLinks)).toBe(before);
    });
  }

  test('locked, trashed and hidden assets cannot be shared, even with the PIN', async () => {
    const elevated = await seed(database).user();
    await unlock(database, elevated);
    const add = (over: object) => seed(database).asset({ ownerId: elevated.id, ...over });
    const caller = { session: elevated };
    const good = await add({});
    for (const state of [{ lockedAt: NOW }, { trashedAt: NOW }, { visibility: 'hidden' }]) {
      const bad = await add(state);
      const made = await create({ type: 'INDIVIDUAL', assetIds: [good, bad] }, caller);
      expect(made.status).toBe(400);
      const link = await ofAssets([good], {}, caller);
      const path = `PUT /shared-links/${link.id}/assets` as const;
      const added = await call(app, path, { ...caller, body: { assetIds: [bad] } });
      expect(added.body).toEqual([{ assetId: bad, success: false, error: 'no_permission' }]);
    }
  });

  test('a partner may share what is on the Timeline, until the partnership ends', async () => {
    const { plain } = house.ids;
    const link = await ofAssets([plain], {}, { as: house.viewer });
    expect(await statusBy(link, `/assets/${plain}`)).toBe(200);
    await call(app, `DELETE /partners/${house.viewer.id}`, { as: house.owner });
    expect(await statusBy(link, `/assets/${plain}`)).toBe(400);
  });

  test('a slug is unique on the server', async () => {
    const link = await ofAssets([house.ids.plain], { slug: 'once' });
    const other = await seed(database).user();
    const id = await seed(database).asset({ ownerId: other.id });
    const again = await create({ type: 'INDIVIDUAL', assetIds: [id], slug: 'once' }, { as: other });
    const refusal = { status: 400, body: { message: 'Failed to save shared link' } };
    expect(again).toMatchObject(refusal);
    const second = await ofAssets([id], {}, { as: other });
    expect(await patch(second.id, { slug: 'once' }, other)).toMatchObject(refusal);
    expect((await patch(link.id, { slug: 'once' })).status).toBe(200);
    // Many links have none.
    for (const slug of [null, ''])
      expect((await patch(second.id, { slug }, other)).status).toBe(200);
    await patch(link.id, { slug: null });
    expect((await patch(second.id, { slug: 'once' }, other)).body.slug).toBe('once');
  });

  test('a link that hides metadata does not allow downloads', async () => {
    const link = await ofAssets([house.ids.plain], { showMetadata: false, allowDownload: true });
    expect(link).toMatchObject({ showMetadata: false, allowDownload: false });
    expect((await patch(link.id, { allowDownload: true })).status).toBe(400);
    expect((await patch(link.id, { showMetadata: true, allowDownload: true })).body).toMatchObject({
      showMetadata: true,
      allowDownload: true,
    });
    expect((await patch(link.id, { showMetadata: false })).body.allowDownload).toBe(false);
  });
});

describe('CVE-2026-25118: a password', () => {
  test('is stored as an Argon2 digest, and shown to nobody', async () => {
    const link = await ofAssets([house.ids.plain], { password: 'open sesame', slug: 'cave' });
    expect(await getPasswordHash(link.id)).toStartWith('$argon2id$');
    const replies = [
      link,
      (await call(app, 'GET /shared-links', { as: house.owner })).body,
      (await call(app, `GET /shared-links/${link.id}`, { as: house.owner })).body,
      (await patch(link.id, { description: 'x' })).body,
    ];
    for (const reply of replies) {
      expect(JSON.stringify(reply)).not.toContain('sesame');
      expect(JSON.stringify(reply)).not.toContain('argon2id');
    }
    expect(replies[2].password).toBe('********');
  });

  test('stays as it is when clients send back what they were shown', async () => {
    const link = await ofAssets([house.ids.plain], { password: 'a' });
    const before = await getPasswordHash(link.id);
    await patch(link.id, { password: link.password, description: 'new' });
    expect(await getPasswordHash(link.id)).toBe(before);
    expect((await patch(link.id, { password: '' })).body.password).toBeNull();
    expect(await getPasswordHash(link.id)).toBeNull();
    expect((await patch(link.id, { password: '********' })).status).toBe(400);
  });
});

describe('reading', () => {
  test("the caller's own links only, newest first, by album and by id", async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id });
    const album = await call(app, 'POST /albums', { as: me, body: { albumName: 'A' } });
    const albumId = album.body.id as string;
    const first = await ofAssets([id], {}, { as: me });
    const { body: second } = await create({ type: 'ALBUM', albumId }, { as: me });
    const list = async (query = '', as = me) =>
      (await call(app, `GET /shared-links${query}` as 'GET /x', { as })).body.map(
        (link: { id: string }) => link.id,
      );
    expect((await list()).toSorted()).toEqual([first.id as string, second.id as string].toSorted());
    expect(await list(`?albumId=${albumId}`)).toEqual([second.id]);
    expect(await list(`?id=${first.id}`)).toEqual([first.id]);
    expect(await list(`?albumId=${albumId}`, house.owner)).toEqual([]);
    expect(await list(`?id=${first.id}`, house.owner)).toEqual([]);
  });

  test('assets that became locked, trashed or hidden are not shown', async () => {
    const me = await seed(database).user();
    const add = () => seed(database).asset({ ownerId: me.id });
    const ids = [await add(), await add(), await add()] as [string, string, string];
    const link = await ofAssets(ids, {}, { as: me });
    await database.sql`update asset set locked_at = now() where id = ${ids[0]}`;
    await database.sql`update asset set trashed_at = now() where id = ${ids[1]}`;
    await unlock(database, me);
    for (const caller of [{ as: me }, { session: me }]) {
      const { body } = await call(app, `GET /shared-links/${link.id}`, caller);
      expect(body.assets.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    }
    const { body } = await call(app, `GET /shared-links/me?key=${link.key}`);
    expect(body.assets.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    for (const id of ids.slice(0, 2)) expect(await statusBy(link, `/assets/${id}`)).toBe(400);
  });
});
