import { describe, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { call, type NewAsset, type Reply, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { listTimeline as listShown } from '../support/timeline.ts';

// Families share albums, links and libraries.

const { database, app } = await useApp();

type Route = Parameters<typeof call>[1];
const send = (route: string, as: TestUser, body?: object): Promise<Reply> =>
  call(app, route as Route, { as, ...(body && { body }) });
const asGuest = (route: string, body?: object, cookie = ''): Promise<Reply> =>
  call(app, route as Route, { headers: { cookie }, ...(body && { body }) });
const addUser = () => seed(database).user();
const add = (owner: TestUser, over: Partial<NewAsset> = {}) =>
  seed(database).asset({ ownerId: owner.id, ...over });
const toIds = (items: readonly Json[]) => items.map(({ id }) => id as string).sort();

const listTimeline = (as: TestUser, query?: string) => listShown(app, as, query);
const listTrash = (as: TestUser) => listTimeline(as, 'isTrashed=true');

async function makeAlbum(owner: TestUser, assetIds: readonly string[], members: object[] = []) {
  const body = { albumName: 'a', assetIds, albumUsers: members };
  return (await send('POST /albums', owner, body)).body.id as string;
}

async function makeLink(owner: TestUser, values: object) {
  const { status, body } = await send('POST /shared-links', owner, {
    type: 'INDIVIDUAL',
    ...values,
  });
  expect(status).toBe(201);
  return body as { id: string; key: string; slug: string | null; expiresAt: string | null };
}

describe('links', () => {
  const see = async (key: string) => {
    const { status, body } = await asGuest(`GET /shared-links/me?key=${key}`);
    return status === 200 ? toIds(body.assets) : status;
  };

  test('549: guests see nothing that is in the trash, and again what came back', async () => {
    const me = await addUser();
    const [kept, gone] = [await add(me), await add(me)];
    const { id, key } = await makeLink(me, { assetIds: [kept, gone] });
    await send('DELETE /assets', me, { ids: [gone] });
    expect(await see(key)).toEqual([kept]);
    for (const path of ['', '/thumbnail', '/original']) {
      expect((await asGuest(`GET /assets/${gone}${path}?key=${key}`)).status).toBe(400);
    }
    const archive = { assetIds: [kept, gone] };
    expect((await asGuest(`POST /download/archive?key=${key}`, archive)).status).toBe(400);
    await send('POST /trash/restore/assets', me, { ids: [gone] });
    expect(await see(key)).toEqual([kept, gone].sort());
    await send('DELETE /assets', me, { ids: [gone] });
    expect((await send(`DELETE /shared-links/${id}`, me)).status).toBe(204);
    expect(await see(key)).toBe(401);
  });

  test('550: items are taken out of a link by its owner, and by no guest', async () => {
    const [me, other] = [await addUser(), await addUser()];
    const [kept, taken] = [await add(me), await add(me)];
    const { id, key } = await makeLink(me, { assetIds: [kept, taken] });
    const path = `DELETE /shared-links/${id}/assets`;
    expect((await asGuest(`${path}?key=${key}`, { assetIds: [taken] })).status).toBe(403);
    expect((await send(path, other, { assetIds: [taken] })).status).toBe(400);
    expect(await see(key)).toEqual([kept, taken].sort());
    const removed = await send(path, me, { assetIds: [taken] });
    expect(removed.body).toEqual([{ assetId: taken, success: true }]);
    expect(await see(key)).toEqual([kept]);
    expect((await asGuest(`GET /assets/${taken}?key=${key}`)).status).toBe(400);
  });

  test('551: a guest of a link to single items opens each, by key and by name', async () => {
    const me = await addUser();
    const [one, two] = [await add(me), await add(me)];
    const slug = crypto.randomUUID();
    const { key } = await makeLink(me, { assetIds: [one], slug });
    for (const query of [`key=${key}`, `slug=${slug}`]) {
      expect((await asGuest(`GET /assets/${one}?${query}`)).status).toBe(200);
      expect((await asGuest(`GET /assets/${two}?${query}`)).status).toBe(400);
    }
  });

  test('552: the name of a link may have any letters, in either Unicode form', async () => {
    const me = await addUser();
    const assetIds = [await add(me)];
    for (const slug of ['photos/Rom 2025', 'Übung & Spaß?', '休暇', '.hidden', 'a%2Fb#c']) {
      const link = await makeLink(me, { assetIds, slug });
      expect(link.slug).toBe(slug);
      const found = await asGuest(`GET /shared-links/me?slug=${encodeURIComponent(slug)}`);
      expect([found.status, found.body.id]).toEqual([200, link.id]);
      const again = await send('POST /shared-links', me, { type: 'INDIVIDUAL', assetIds, slug });
      expect([again.status, again.body]).toEqual([400, { message: 'Failed to save shared link' }]);
    }
    const { id } = await makeLink(me, { assetIds, slug: 'Zoë'.normalize('NFD') });
    for (const form of ['NFC', 'NFD'] as const) {
      const slug = encodeURIComponent('Zoë'.normalize(form));
      expect((await asGuest(`GET /shared-links/me?slug=${slug}`)).body.id).toBe(id);
    }
    // A link whose name was saved in the other form before stays another link.
    const old = await makeLink(me, { assetIds });
    const decomposed = 'Zoë'.normalize('NFD');
    await database.sql`update shared_link set slug = ${decomposed} where id = ${old.id}`;
    const found = await asGuest(`GET /shared-links/me?slug=${encodeURIComponent(decomposed)}`);
    expect(found.body.id).toBe(old.id);
    const none = await makeLink(me, { assetIds, slug: '' });
    expect(none.slug).toBeNull();
    expect((await makeLink(me, { assetIds, slug: '' })).slug).toBeNull();
  });

  test('553: after the password a link works on under its name, until the password changes', async () => {
    const me = await addUser();
    const slug = crypto.randomUUID();
    const asset = await add(me);
    const { id, key } = await makeLink(me, { assetIds: [asset], slug, password: 'Käse 1' });
    expect((await asGuest(`GET /shared-links/me?slug=${slug}`)).status).toBe(401);
    expect((await asGuest(`GET /assets/${asset}?slug=${slug}`)).status).toBe(401);
    const wrong = { password: 'Käse 2' };
    expect((await asGuest(`POST /shared-links/login?slug=${slug}`, wrong)).status).toBe(401);
    const entered = await asGuest(`POST /shared-links/login?slug=${slug}`, { password: 'Käse 1' });
    expect(entered.status).toBe(201);
    const cookie = entered.headers.getSetCookie()[0]!.split(';')[0]!;
    const open = async () => [
      (await asGuest(`GET /shared-links/me?slug=${slug}`, undefined, cookie)).status,
      (await asGuest(`GET /assets/${asset}?slug=${slug}`, undefined, cookie)).status,
      (await asGuest(`GET /shared-links/me?key=${key}`, undefined, cookie)).status,
    ];
    expect(await open()).toEqual([200, 200, 200]);
    await send(`PATCH /shared-links/${id}`, me, { description: 'x' });
    expect(await open()).toEqual([200, 200, 200]);
    await send(`PATCH /shared-links/${id}`, me, { password: 'another' });
    expect(await open()).toEqual([401, 401, 401]);
  });

  test('554: the end of a link is kept when something else is changed, and is its end', async () => {
    const me = await addUser();
    const expiresAt = '2027-01-01T00:00:00.000Z';
    const { id, key, ...made } = await makeLink(me, { assetIds: [await add(me)], expiresAt });
    expect(made.expiresAt).toBe(expiresAt);
    const change = async (body: object) =>
      (await send(`PATCH /shared-links/${id}`, me, body)).body.expiresAt;
    expect(await change({ description: 'x', slug: crypto.randomUUID() })).toBe(expiresAt);
    expect(await change({ expiresAt: '2020-01-01T00:00:00.000Z' })).not.toBeNull();
    expect(await see(key)).toBe(401);
    expect((await send(`GET /shared-links/${id}`, me)).status).toBe(200);
    expect(await change({ expiresAt: null })).toBeNull();
    expect(await see(key)).toHaveLength(1);
  });

  test('555: a member makes no link to what others have put into an album', async () => {
    const [me, member] = [await addUser(), await addUser()];
    const [own, mine] = [await add(member), await add(me)];
    const album = await makeAlbum(me, [mine], [{ userId: member.id, role: 'editor' }]);
    await send(`PUT /albums/${album}/assets`, member, { ids: [own] });
    const share = (values: object) => send('POST /shared-links', member, values);
    const single = await share({ type: 'INDIVIDUAL', assetIds: [own, mine] });
    expect([single.status, single.body]).toEqual([
      400,
      { message: 'Not found or no asset.share access' },
    ]);
    expect((await share({ type: 'ALBUM', albumId: album })).status).toBe(400);
    expect((await share({ type: 'INDIVIDUAL', assetIds: [own] })).status).toBe(201);
    expect((await send('GET /shared-links', me)).body).toEqual([]);
  });
});

describe('albums of several', () => {
  test("556: an editor takes out own items, the owner everybody's, a viewer none", async () => {
    const [me, editor, viewer] = [await addUser(), await addUser(), await addUser()];
    const [mine, theirs] = [await add(me), await add(editor)];
    const album = await makeAlbum(
      me,
      [mine],
      [
        { userId: editor.id, role: 'editor' },
        { userId: viewer.id, role: 'viewer' },
      ],
    );
    await send(`PUT /albums/${album}/assets`, editor, { ids: [theirs] });
    const path = `DELETE /albums/${album}/assets`;
    expect((await send(path, viewer, { ids: [mine, theirs] })).status).toBe(400);
    const refused = await send(path, editor, { ids: [mine] });
    expect(refused.body).toEqual([{ id: mine, success: false, error: 'no_permission' }]);
    const removed = await send(path, me, { ids: [theirs] });
    expect(removed.body).toEqual([{ id: theirs, success: true }]);
    expect((await send(`GET /assets/${theirs}`, editor)).status).toBe(200);
    expect((await send(`GET /assets/${theirs}`, me)).status).toBe(400);
  });

  test('557: whoever leaves or is removed sees nothing of it any more, links neither', async () => {
    const [me, member] = [await addUser(), await addUser()];
    const mine = await add(me);
    const album = await makeAlbum(me, [mine], [{ userId: member.id, role: 'editor' }]);
    const sees = async () => [
      (await send(`GET /albums/${album}`, member)).status,
      (await send(`GET /assets/${mine}`, member)).status,
      (await send('GET /albums', member)).body.length,
      (await send(`GET /timeline/buckets?albumId=${album}`, member)).status,
    ];
    expect(await sees()).toEqual([200, 200, 1, 200]);
    expect((await send(`DELETE /albums/${album}/user/me`, member)).status).toBe(204);
    expect(await sees()).toEqual([400, 400, 0, 400]);
    expect(
      (
        await send(`PUT /albums/${album}/users`, member, {
          albumUsers: [{ userId: member.id, role: 'editor' }],
        })
      ).status,
    ).toBe(400);
  });

  test('558: comments of a removed member stay, and the member reads none', async () => {
    const [me, member] = [await addUser(), await addUser()];
    const album = await makeAlbum(me, [], [{ userId: member.id, role: 'viewer' }]);
    const comment = { albumId: album, type: 'comment', comment: 'Hallo' };
    const made = await send('POST /activities', member, comment);
    expect(made.status).toBe(201);
    await send(`DELETE /albums/${album}/user/${member.id}`, me);
    expect((await send(`GET /activities?albumId=${album}`, member)).status).toBe(400);
    expect((await send('POST /activities', member, comment)).status).toBe(400);
    const read = await send(`GET /activities?albumId=${album}`, me);
    expect(read.body.map((one: Json) => one.comment)).toEqual(['Hallo']);
    expect((await send(`DELETE /activities/${made.body.id}`, me)).status).toBe(204);
  });
});

describe('partners', () => {
  test('559: archived, locked and trashed items of a partner are in no list', async () => {
    const [me, partner] = [await addUser(), await addUser()];
    const shown = await add(partner);
    await add(partner, { visibility: 'archive' });
    await add(partner, { lockedAt: new Date() });
    await add(partner, { trashedAt: new Date() });
    await add(partner, { visibility: 'hidden' });
    await send('POST /partners', partner, { sharedWithId: me.id });
    await send(`PUT /partners/${partner.id}`, me, { inTimeline: true });
    expect(await listTimeline(me, 'visibility=timeline&withPartners=true')).toEqual([shown]);
    expect(await listTimeline(me, `userId=${partner.id}&visibility=timeline`)).toEqual([shown]);
    const found = await send('POST /search/metadata', me, {});
    expect(toIds(found.body.assets.items)).toEqual([shown]);
    expect(await listTrash(me)).toEqual([]);
    await send(`DELETE /partners/${me.id}`, partner);
    expect(await listTimeline(me, 'visibility=timeline&withPartners=true')).toEqual([]);
    expect((await send(`GET /assets/${shown}`, me)).status).toBe(400);
  });

  test('560: a partner changes, deletes and stacks nothing, and puts it into an own album', async () => {
    const [me, partner] = [await addUser(), await addUser()];
    const [theirs, own] = [await add(partner), await add(me)];
    await send('POST /partners', partner, { sharedWithId: me.id });
    const tries = [
      await send(`PUT /assets/${theirs}`, me, { isFavorite: true }),
      await send('PUT /assets', me, { ids: [theirs, own], isFavorite: true }),
      await send('DELETE /assets', me, { ids: [theirs, own] }),
      await send('POST /stacks', me, { assetIds: [own, theirs] }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect((await send(`GET /assets/${own}`, me)).body).toMatchObject({
      isFavorite: false,
      isTrashed: false,
    });
    const album = await makeAlbum(me, [theirs]);
    expect((await send(`GET /albums/${album}`, me)).body.assetCount).toBe(1);
    await send(`DELETE /partners/${me.id}`, partner);
    expect((await send(`GET /albums/${album}`, me)).body.assetCount).toBe(0);
  });
});
