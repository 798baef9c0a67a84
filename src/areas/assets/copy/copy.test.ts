import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, type NewAsset, NOW, seed } from '../../../../test/support/harness.ts';
import { addStack } from '../../../../test/support/household.ts';
import { derivedPath } from '../../../../test/support/processing.ts';
import { assetFiles } from '../../../db/tables/assets.ts';
import { tagAssets, tags } from '../../../db/tables/tags.ts';
import { queryRows } from '../../../db/query.ts';

const { database, app, house, me } = await useHousehold();

const add = (over: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...over });
const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;
const copy = (
  sourceId: string,
  targetId: string,
  parts: object = {},
  caller: Caller = { as: me },
) => call(app, 'PUT /assets/copy', { ...caller, body: { sourceId, targetId, ...parts } });
const NOTHING = {
  albums: false,
  favorite: false,
  sharedLinks: false,
  sidecar: false,
  stack: false,
};
const only = (part: keyof typeof NOTHING) => ({ ...NOTHING, [part]: true });

async function album(ids: readonly string[], owner = me): Promise<string> {
  const body = { albumName: 'A', assetIds: ids };
  return (await call(app, 'POST /albums', { as: owner, body })).body.id;
}
const listAlbumIds = async (id: string) =>
  (
    await database.sql`select album_id from album_asset where asset_id = ${id} order by album_id`
  ).map((row) => row['album_id'] as string);

async function link(ids: readonly string[]): Promise<string> {
  const body = { type: 'INDIVIDUAL', assetIds: ids };
  return (await call(app, 'POST /shared-links', { as: me, body })).body.id;
}
const listLinkIds = async (id: string) =>
  (await database.sql`select link_id from shared_link_asset where asset_id = ${id}`).map(
    (row) => row['link_id'] as string,
  );

async function addSidecar(assetId: string, text: string): Promise<string> {
  const name = `${assetId.slice(0, 2)}/${assetId.slice(2, 4)}/${assetId}-sidecar.xmp`;
  const path = derivedPath(database, name);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, text);
  await database.db.insert(assetFiles).values({
    assetId,
    kind: 'sidecar',
    name,
    mimeType: 'application/xml',
    size: text.length,
    tag: text,
  });
  return path;
}
async function readSidecar(assetId: string): Promise<string | undefined> {
  const [row] = await database.sql`
    select name from asset_file where asset_id = ${assetId} and kind = 'sidecar'`;
  return row ? Bun.file(derivedPath(database, row['name'] as string)).text() : undefined;
}

test('copies everything that the request does not exclude and leaves the source unchanged', async () => {
  const [source, target, untouched] = [await add({ isFavorite: true }), await add(), await add()];
  const stackId = await addStack(database, me.id, source);
  await add({ stackId, isStackChild: true });
  const [albumId, linkId] = [await album([source]), await link([source])];
  await addSidecar(source, '<source/>');

  expect((await copy(source, untouched, NOTHING)).status).toBe(204);
  expect(await get(untouched)).toMatchObject({ isFavorite: false, stack: null });
  expect([await listAlbumIds(untouched), await listLinkIds(untouched)]).toEqual([[], []]);
  expect(await readSidecar(untouched)).toBeUndefined();

  expect(await copy(source, target)).toMatchObject({ status: 204, body: undefined });
  for (const id of [source, target]) {
    const asset = await get(id);
    expect(asset).toMatchObject({ isFavorite: true, stack: { id: stackId, assetCount: 3 } });
    expect([await listAlbumIds(id), await listLinkIds(id)]).toEqual([[albumId], [linkId]]);
    expect(await readSidecar(id)).toBe('<source/>');
  }
  // A second time it is the same.
  expect((await copy(source, target)).status).toBe(204);
  expect((await get(target)).stack.assetCount).toBe(3);
});

describe('copying album memberships', () => {
  test('skips albums to which the caller may not add assets', async () => {
    const [source, target] = [await add(), await add()];
    const foreign = await album([], house.owner);
    const edited = await album([], house.owner);
    for (const albumId of [foreign, edited]) {
      const albumUsers = [{ userId: me.id, role: 'editor' }];
      await call(app, `PUT /albums/${albumId}/users`, { as: house.owner, body: { albumUsers } });
      await call(app, `PUT /albums/${albumId}/assets`, { as: me, body: { ids: [source] } });
    }
    await call(app, `DELETE /albums/${foreign}/user/${me.id}`, { as: house.owner });
    await queryRows(
      database.db,
      sql`insert into album_asset (album_id, asset_id) values (${foreign}, ${source})
        on conflict do nothing`,
    );
    await copy(source, target, only('albums'));
    expect(await listAlbumIds(target)).toEqual([edited]);
  });
});

test('does not add a locked target to shared links', async () => {
  const [source, target] = [await add(), await add({ lockedAt: NOW })];
  await link([source]);
  expect((await copy(source, target, only('sharedLinks'))).status).toBe(400);
  await database.sql`update session set elevated_until = ${new Date(NOW.getTime() + 900_000).toISOString()}
    where user_id = ${me.id}`;
  const reply = await copy(source, target, only('sharedLinks'), { session: me });
  expect(reply.status).toBe(204);
  expect(await listLinkIds(target)).toEqual([]);
});

describe('copying the stack', () => {
  test('merges the stack of the target into the stack of the source', async () => {
    const [source, target] = [await add(), await add()];
    const stackId = await addStack(database, me.id, source);
    await add({ stackId, isStackChild: true });
    const old = await addStack(database, me.id, target);
    const member = await add({ stackId: old, isStackChild: true });
    await copy(source, target, only('stack'));
    expect((await get(member)).stack).toMatchObject({ id: stackId, assetCount: 4 });
    const [gone] = await database.sql`select 1 from stack where id = ${old}`;
    expect(gone).toBeUndefined();
  });

  test('does not add a trashed target to the stack', async () => {
    const [source, target] = [await add(), await add({ trashedAt: NOW })];
    const stackId = await addStack(database, me.id, source);
    await add({ stackId, isStackChild: true });
    expect((await copy(source, target, only('stack'))).status).toBe(204);
    expect((await get(source)).stack.assetCount).toBe(2);
  });
});

describe('copying the sidecar', () => {
  test('copies the fields and tags that the owner edited', async () => {
    const source = await add({
      takenAt: new Date('2020-01-01T00:00:00Z'),
      localTakenAt: '2020-01-01T01:00:00',
      exif: {
        editedFields: ['dateTimeOriginal', 'description', 'rating'],
        description: 'by hand',
        rating: 4,
        dateTimeOriginal: new Date('2020-01-01T00:00:00Z'),
        timeZone: 'Europe/Berlin',
        latitude: 1,
        longitude: 2,
        make: 'Canon',
      },
    });
    const target = await add({ exif: { make: 'Nikon', latitude: 3, longitude: 4 } });
    const [tag] = await database.db
      .insert(tags)
      .values({ ownerId: me.id, value: 'Travel' })
      .returning();
    await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: source });
    await copy(source, target, only('sidecar'));
    const asset = await get(target);
    expect(asset).toMatchObject({
      fileCreatedAt: '2020-01-01T00:00:00.000Z',
      localDateTime: '2020-01-01T01:00:00.000Z',
      exifInfo: {
        description: 'by hand',
        rating: 4,
        timeZone: 'Europe/Berlin',
        make: 'Nikon',
        latitude: 3,
      },
      tags: [{ value: 'Travel' }],
    });
    const jobs = await database.sql`
      select name from job where payload ->> 'assetId' = ${target}`;
    expect(jobs.map((job) => job['name'])).toEqual(['assets.readMetadata']);
  });

  test('replaces the sidecar of the target and deletes its file', async () => {
    const [source, target] = [await add(), await add()];
    await addSidecar(source, '<new/>');
    const old = await addSidecar(target, '<old/>');
    await copy(source, target, only('sidecar'));
    expect(await readSidecar(target)).toBe('<new/>');
    expect(await Bun.file(old).exists()).toBe(false);
    expect(await readSidecar(source)).toBe('<new/>');
  });

  test('keeps the sidecar of the target when the source has none', async () => {
    const [source, target] = [await add(), await add()];
    await addSidecar(target, '<old/>');
    await copy(source, target, only('sidecar'));
    expect(await readSidecar(target)).toBe('<old/>');
  });
});

describe('both assets must belong to the caller', () => {
  const cases: [string, () => [string, string], () => Caller, number][] = [
    [
      'the same asset as source and target',
      () => [house.ids.plain, house.ids.plain],
      () => ({ as: house.owner }),
      400,
    ],
    [
      'from an asset of a partner',
      () => [house.ids.ofPartner, house.ids.plain],
      () => ({ as: house.owner }),
      400,
    ],
    [
      'to an asset of a partner',
      () => [house.ids.plain, house.ids.ofPartner],
      () => ({ as: house.owner }),
      400,
    ],
    [
      'from an unknown asset',
      () => [crypto.randomUUID(), house.ids.plain],
      () => ({ as: house.owner }),
      400,
    ],
    [
      'from a locked asset',
      () => [house.ids.locked, house.ids.plain],
      () => ({ as: house.owner }),
      400,
    ],
    [
      'by another user',
      () => [house.ids.favorite, house.ids.plain],
      () => ({ as: house.stranger }),
      400,
    ],
    [
      'by a guest',
      () => [house.ids.favorite, house.ids.plain],
      () => ({ headers: { 'x-immich-share-slug': 'assets' } }),
      403,
    ],
  ];
  for (const [name, ids, caller, status] of cases) {
    test(`${name} → ${status}`, async () => {
      const before = await call(app, `GET /assets/${house.ids.plain}`, { as: house.owner });
      expect((await copy(...ids(), {}, caller())).status).toBe(status);
      const after = await call(app, `GET /assets/${house.ids.plain}`, { as: house.owner });
      expect(after.body).toEqual(before.body);
    });
  }
});
