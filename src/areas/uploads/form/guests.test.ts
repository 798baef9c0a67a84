import { beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { useApp } from '../../../../test/support/database.ts';
import {
  type FormPart,
  photoForm,
  toSha1Hex,
  toSha256,
  randomFileBytes,
  upload,
} from '../../../../test/support/forms.ts';
import { call, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { albums, sharedLinks } from '../../../db/tables/albums.ts';

const { database, app } = await useApp();
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
});

async function link(over: Partial<typeof sharedLinks.$inferInsert> = {}, ofAlbum = true) {
  const { db } = database;
  const [album] = await db
    .insert(albums)
    .values({ ownerId: alice.id, name: 'party' })
    .returning({ id: albums.id });
  const key = randomBytes(50);
  const [row] = await db
    .insert(sharedLinks)
    .values({
      ownerId: alice.id,
      type: ofAlbum ? 'ALBUM' : 'INDIVIDUAL',
      albumId: ofAlbum ? album!.id : null,
      key,
      allowUpload: true,
      ...over,
    })
    .returning({ id: sharedLinks.id });
  return { id: row!.id, albumId: album!.id, query: `?key=${key.toString('base64url')}` };
}

const listAlbumMembers = async ({ albumId }: { albumId: string }) =>
  (await database.sql`select asset_id from album_asset where album_id = ${albumId}`).map(
    (row) => row['asset_id'] as string,
  );

test('an upload by a guest belongs to the owner of the link and is added to the album', async () => {
  const party = await link();
  const { status, body } = await upload(app, photoForm(randomFileBytes()), party);
  expect(status).toBe(201);
  const [asset] = await database.sql`select owner_id from asset where id = ${body.id}`;
  expect(asset).toEqual({ owner_id: alice.id });
  expect(await listAlbumMembers(party)).toEqual([body.id]);
});

test('an upload through the slug of a link to single items is added to the link', async () => {
  const party = await link({ slug: 'summer' }, false);
  const { body } = await upload(app, photoForm(randomFileBytes()), { query: '?slug=summer' });
  const rows =
    await database.sql`select link_id from shared_link_asset where asset_id = ${body.id}`;
  expect(rows.map((row) => row['link_id'])).toEqual([party.id]);
  expect(await listAlbumMembers(party)).toEqual([]);
});

test('a guest cannot set visibility, favorite or metadata', async () => {
  const more: readonly FormPart[] = [
    { name: 'isFavorite', value: 'true' },
    { name: 'metadata', value: '[{"key":"mobile-app","value":{"a":1}}]' },
  ];
  for (const value of ['locked', 'archive', 'hidden']) {
    const form = photoForm(randomFileBytes(), [...more, { name: 'visibility', value }]);
    const { body } = await upload(app, form, await link());
    const [asset] = await database.sql`
      select visibility, locked_at, is_favorite,
        exists (select from asset_metadata where asset_id = ${body.id}) as "hasMetadata"
      from asset where id = ${body.id}`;
    expect(asset).toEqual({
      visibility: 'timeline',
      locked_at: null,
      is_favorite: false,
      hasMetadata: false,
    });
  }
});

describe('an upload by a guest is refused', () => {
  const cases: [string, () => Promise<string>, number][] = [
    ['through a link without uploads', async () => (await link({ allowUpload: false })).query, 401],
    ['through an expired link', async () => (await link({ expiresAt: new Date(0) })).query, 401],
    ['through an unknown link', async () => '?key=AAAA', 401],
  ];
  for (const [name, createQuery, status] of cases) {
    test(`${name} → ${status}`, async () => {
      const bytes = randomFileBytes();
      const query = await createQuery();
      expect((await upload(app, photoForm(bytes), { query })).status).toBe(status);
      const { sql } = database;
      expect(await sql`select 1 from original where sha256 = ${toSha256(bytes)}`).toHaveLength(0);
    });
  }

  test('with a video that was not uploaded through the same link, and nothing changes', async () => {
    const [party, other] = [await link(), await link()];
    const movie = () => photoForm(randomFileBytes(), [], 'a.mov');
    const own = (await upload(app, movie(), { as: alice })).body.id;
    const shared = (await upload(app, movie(), { as: alice })).body.id;
    await call(app, `PUT /albums/${party.albumId}/assets`, { as: alice, body: { ids: [shared] } });
    const elsewhere = (await upload(app, movie(), other)).body.id;
    const before = await database.sql`select * from asset order by id`;
    for (const value of [own, shared, elsewhere, crypto.randomUUID()]) {
      const form = photoForm(randomFileBytes(), [{ name: 'livePhotoVideoId', value }]);
      expect(await upload(app, form, party)).toMatchObject({
        status: 400,
        body: { message: 'Live photo video not found' },
      });
    }
    expect(await database.sql`select * from asset order by id`).toEqual(before);
  });
});

test('a guest can pair a video that was uploaded through the same link', async () => {
  const party = await link();
  const { body: video } = await upload(app, photoForm(randomFileBytes(), [], 'a.mov'), party);
  const parts = [{ name: 'livePhotoVideoId', value: video.id as string }];
  const { status, body: still } = await upload(app, photoForm(randomFileBytes(), parts), party);
  expect(status).toBe(201);
  // The owner may delete the photo of one guest without destroying the video of another.
  await call(app, 'DELETE /assets', { as: alice, body: { ids: [still.id], force: true } });
  const [row] = await database.sql`select visibility from asset where id = ${video.id}`;
  expect(row).toEqual({ visibility: 'timeline' });
});

describe('a guest uploads bytes that the owner already has', () => {
  const STATES = {
    'on the Timeline': '',
    archived: "visibility = 'archive'",
    hidden: "visibility = 'hidden'",
    locked: 'locked_at = now()',
    'in the trash': 'trashed_at = now()',
  };
  for (const [name, change] of Object.entries(STATES)) {
    test(`${name}: the reply is the same as for new bytes, and the owner's asset is unchanged`, async () => {
      const [party, bytes] = [await link(), randomFileBytes()];
      const { body: own } = await upload(app, photoForm(bytes), { as: alice });
      if (change) await database.sql.unsafe(`update asset set ${change} where id = '${own.id}'`);
      const before = await database.sql`select * from asset where id = ${own.id}`;
      const fresh = await upload(app, photoForm(randomFileBytes()), party);
      const headers = { 'x-immich-checksum': toSha1Hex(bytes) };
      const reply = await upload(app, photoForm(bytes), { ...party, headers });
      expect(reply.status).toBe(fresh.status);
      expect(Object.keys(reply.body)).toEqual(Object.keys(fresh.body));
      expect(reply.body.status).toBe('created');
      expect(reply.body.id).not.toBe(own.id);
      expect(await listAlbumMembers(party)).toEqual([fresh.body.id, reply.body.id]);
      expect(await database.sql`select * from asset where id = ${own.id}`).toEqual(before);
      const opened = (id: string) => call(app, `GET /assets/${id}${party.query}`);
      expect((await opened(reply.body.id)).status).toBe(200);
      expect((await opened(own.id)).status).toBe(400);
    });
  }

  test('an asset that the link shows is returned as a duplicate', async () => {
    const [party, bytes] = [await link(), randomFileBytes()];
    const { body: own } = await upload(app, photoForm(bytes), { as: alice });
    await call(app, `PUT /albums/${party.albumId}/assets`, { as: alice, body: { ids: [own.id] } });
    for (let twice = 0; twice < 2; twice++) {
      const reply = await upload(app, photoForm(bytes), party);
      expect(reply).toMatchObject({ status: 200, body: { id: own.id, status: 'duplicate' } });
    }
    expect(await listAlbumMembers(party)).toEqual([own.id]);
  });

  test('concurrent uploads of the same bytes create one asset', async () => {
    const [party, bytes] = [await link(), randomFileBytes(200_000)];
    await upload(app, photoForm(bytes), { as: alice });
    const replies = await Promise.all([1, 2, 3].map(() => upload(app, photoForm(bytes), party)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    expect(await listAlbumMembers(party)).toHaveLength(1);
  });

  test('a checksum without the bytes does not reveal whether the owner has them', async () => {
    const [party, bytes] = [await link(), randomFileBytes()];
    await upload(app, photoForm(bytes), { as: alice });
    const answers = await Promise.all(
      [bytes, randomFileBytes()].map((claimed) =>
        upload(app, photoForm(randomFileBytes()), {
          ...party,
          headers: { 'x-immich-checksum': toSha1Hex(claimed) },
        }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [400, 'The file does not have the checksum that was given for it'],
      [400, 'The file does not have the checksum that was given for it'],
    ]);
    expect(await listAlbumMembers(party)).toEqual([]);
  });

  test('the copy counts towards the quota of the owner', async () => {
    const carol = await seed(database).user(['all'], { quotaBytes: 2500 });
    const party = await link({ ownerId: carol.id });
    const bytes = randomFileBytes(1000);
    await upload(app, photoForm(bytes), { as: carol });
    expect((await upload(app, photoForm(bytes), party)).status).toBe(201);
    for (const sent of [bytes, randomFileBytes(1000)]) {
      const reply = await upload(app, photoForm(sent), await link({ ownerId: carol.id }));
      expect(reply).toMatchObject({ status: 400, body: { message: 'Quota has been exceeded!' } });
    }
  });
});

describe("the guest's copy of an asset that the owner has", () => {
  async function copied() {
    const [party, bytes] = [await link(), randomFileBytes()];
    const own = (await upload(app, photoForm(bytes), { as: alice })).body.id as string;
    const copy = (await upload(app, photoForm(bytes), party)).body.id as string;
    return { bytes, own, copy };
  }
  const found = async (bytes: Uint8Array) => {
    const assets = [{ id: 'x', checksum: toSha1Hex(bytes) }];
    const { body } = await call(app, 'POST /assets/bulk-upload-check', {
      as: alice,
      body: { assets },
    });
    return body.results[0].assetId as string | undefined;
  };

  test("is found by its checksum only after the owner's asset is deleted", async () => {
    const { bytes, own, copy } = await copied();
    expect(await found(bytes)).toBe(own);
    expect((await upload(app, photoForm(bytes), { as: alice })).body.id).toBe(own);
    await call(app, 'DELETE /assets', { as: alice, body: { ids: [own], force: true } });
    expect(await found(bytes)).toBe(copy);
    expect((await upload(app, photoForm(bytes), { as: alice })).body.id).toBe(copy);
    await call(app, 'DELETE /assets', { as: alice, body: { ids: [copy], force: true } });
    expect(await found(bytes)).toBeUndefined();
  });

  test("can be deleted together with the owner's asset", async () => {
    const { bytes, own, copy } = await copied();
    await call(app, 'DELETE /assets', { as: alice, body: { ids: [own, copy], force: true } });
    expect(await found(bytes)).toBeUndefined();
    expect((await upload(app, photoForm(bytes), { as: alice })).status).toBe(201);
  });

  test('is synchronised with a checksum that no other asset of the owner has', async () => {
    const { own, copy } = await copied();
    const asked = { session: alice, body: { types: ['AssetsV2'] } };
    const stream = await (await send(app, 'POST /sync/stream', asked)).text();
    const lines = stream.trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line).data).filter(({ id }) => id);
    expect(rows.map(({ id }) => id)).toContain(own);
    expect(rows.map(({ id }) => id)).toContain(copy);
    expect(new Set(rows.map(({ checksum }) => checksum)).size).toBe(rows.length);
  });
});

test('refuses the bulk upload check to guests', async () => {
  const { query } = await link();
  const reply = await call(app, `POST /assets/bulk-upload-check${query}`, { body: { assets: [] } });
  expect(reply.status).toBe(403);
});
