import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type Part, photoForm, sha1Of, sha256Of, someBytes, upload } from '../../../test/forms.ts';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/harness.ts';
import type { App } from '../../app.ts';
import { albums, sharedLinks } from '../../db/tables/albums.ts';

let database: TestDatabase;
let app: App;
let alice: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  alice = await seed(database).user();
});
afterAll(() => database.close());

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

const membersOf = async ({ albumId }: { albumId: string }) =>
  (await database.sql`select asset_id from album_asset where album_id = ${albumId}`).map(
    (row) => row['asset_id'] as string,
  );

test('what a guest uploads belongs to the owner of the link and is in the album', async () => {
  const party = await link();
  const { status, body } = await upload(app, photoForm(someBytes()), party);
  expect(status).toBe(201);
  const [asset] = await database.sql`select owner_id from asset where id = ${body.id}`;
  expect(asset).toEqual({ owner_id: alice.id });
  expect(await membersOf(party)).toEqual([body.id]);
});

test('a link by its slug, to single items', async () => {
  const party = await link({ slug: 'summer' }, false);
  const { body } = await upload(app, photoForm(someBytes()), { query: '?slug=summer' });
  const rows =
    await database.sql`select link_id from shared_link_asset where asset_id = ${body.id}`;
  expect(rows.map((row) => row['link_id'])).toEqual([party.id]);
  expect(await membersOf(party)).toEqual([]);
});

test('a guest decides nothing about the library of the owner', async () => {
  const more: readonly Part[] = [{ name: 'isFavorite', value: 'true' }];
  for (const value of ['locked', 'archive']) {
    const form = photoForm(someBytes(), [...more, { name: 'visibility', value }]);
    const { body } = await upload(app, form, await link());
    const [asset] = await database.sql`
      select visibility, locked_at, is_favorite from asset where id = ${body.id}`;
    expect(asset).toEqual({ visibility: 'timeline', locked_at: null, is_favorite: false });
  }
});

describe('a guest is refused', () => {
  const cases: [string, () => Promise<string>, number][] = [
    ['by a link without the right', async () => (await link({ allowUpload: false })).query, 403],
    ['by a link that has ended', async () => (await link({ expiresAt: new Date(0) })).query, 401],
    ['by a link that nobody made', async () => '?key=AAAA', 401],
  ];
  for (const [name, queryOf, status] of cases) {
    test(`${name} → ${status}`, async () => {
      const bytes = someBytes();
      const query = await queryOf();
      expect((await upload(app, photoForm(bytes), { query })).status).toBe(status);
      const { sql } = database;
      expect(await sql`select 1 from original where sha256 = ${sha256Of(bytes)}`).toHaveLength(0);
    });
  }

  test('a video of the owner as half of a live photo → 400, and it stays as it was', async () => {
    const form = photoForm(someBytes(), [], 'a.mov');
    const { body: video } = await upload(app, form, { as: alice });
    const parts = [{ name: 'livePhotoVideoId', value: video.id as string }];
    expect((await upload(app, photoForm(someBytes(), parts), await link())).status).toBe(400);
    const [row] = await database.sql`select visibility from asset where id = ${video.id}`;
    expect(row).toEqual({ visibility: 'timeline' });
  });
});

test('a guest may pair the video that he uploaded himself', async () => {
  const party = await link();
  const { body: video } = await upload(app, photoForm(someBytes(), [], 'a.mov'), party);
  const parts = [{ name: 'livePhotoVideoId', value: video.id as string }];
  expect((await upload(app, photoForm(someBytes(), parts), party)).status).toBe(201);
});

describe('bytes that the owner has already', () => {
  test('are put in the album when the guest sends them', async () => {
    const [party, bytes] = [await link(), someBytes()];
    const { body: own } = await upload(app, photoForm(bytes), { as: alice });
    const reply = await upload(app, photoForm(bytes), party);
    expect(reply).toMatchObject({ status: 200, body: { id: own.id, status: 'duplicate' } });
    expect(await membersOf(party)).toEqual([own.id]);
  });

  test('are not opened to a guest who knows only their checksum', async () => {
    const [party, bytes] = [await link(), someBytes()];
    await upload(app, photoForm(bytes), { as: alice });
    const headers = { 'x-immich-checksum': sha1Of(bytes) };
    const reply = await upload(app, photoForm(someBytes()), { ...party, headers });
    expect(reply.status).toBe(400);
    expect(await membersOf(party)).toEqual([]);
  });

  test('and that lie locked or in the trash are not brought out', async () => {
    for (const visibility of ['locked', 'timeline']) {
      const [party, bytes] = [await link(), someBytes()];
      const form = photoForm(bytes, [{ name: 'visibility', value: visibility }]);
      const { body: own } = await upload(app, form, { as: alice });
      if (visibility === 'timeline') {
        await database.sql`update asset set trashed_at = now() where id = ${own.id}`;
      }
      expect((await upload(app, photoForm(bytes), party)).body.status).toBe('duplicate');
      expect(await membersOf(party)).toEqual([]);
    }
  });
});

test('the check before an upload is not for guests', async () => {
  const { query } = await link();
  const reply = await call(app, `POST /assets/bulk-upload-check${query}`, { body: { assets: [] } });
  expect(reply.status).toBe(403);
});
