import { beforeAll, describe, expect, test } from 'bun:test';
import type { Permission } from '../src/access/permissions.ts';
import { sharedLinkAssets, sharedLinks } from '../src/db/tables/albums.ts';
import { useApp } from './support/database.ts';
import { call, type Reply, seed, type TestUser } from './support/harness.ts';

// An act that needs another one needs the permissions of both, as far as the request asks for it. What the
// guard requires whatever the request is walked by security.test.ts.

const { database, app } = await useApp();
let me: TestUser;
let friend: TestUser;
let photos: string[];
beforeAll(async () => {
  [me, friend] = [await seed(database).user(), await seed(database).user()];
  photos = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id }),
  ];
});

async function addKey(permissions: readonly string[]): Promise<TestUser> {
  const body = { name: 'k', permissions };
  return { ...me, key: (await call(app, 'POST /api-keys', { session: me, body })).body.secret };
}

type Act = (as: TestUser) => Promise<Reply>;

/** Each of the permissions is needed, named where it is missing, and together they are enough. */
async function expectNeeds(act: Act, of: Permission, needed: readonly Permission[]) {
  for (const missing of needed) {
    const { status, body } = await act(
      await addKey([of, ...needed.filter((one) => one !== missing)]),
    );
    expect([status, body.message]).toEqual([403, `Missing required permission: ${missing}`]);
  }
  const { status } = await act(await addKey([of, ...needed]));
  expect(status).toBeLessThan(300);
}

const SHARED = ['asset.read', 'asset.view', 'asset.download'] as const;

describe('an album', () => {
  const create =
    (more: () => object): Act =>
    (as) =>
      call(app, 'POST /albums', { as, body: { albumName: 'a', ...more() } });

  test('is created with nothing by its own permission', () =>
    expectNeeds(
      create(() => ({ albumUsers: [], assetIds: [] })),
      'album.create',
      [],
    ));

  test('with items needs the permission to add them', () =>
    expectNeeds(
      create(() => ({ assetIds: photos })),
      'album.create',
      ['albumAsset.create'],
    ));

  test('with members needs what they may do with the items', () =>
    expectNeeds(
      create(() => ({ albumUsers: [{ userId: friend.id, role: 'viewer' }] })),
      'album.create',
      ['albumUser.create', ...SHARED],
    ));
});

test('a memory with items needs the permission to add them', async () => {
  const create: Act = (as) =>
    call(app, 'POST /memories', { as, body: { name: 'a', assetIds: photos } });
  await expectNeeds(create, 'memory.create', ['memoryAsset.create']);
});

test('a decision about duplicates that trashes items needs to delete and to change them', async () => {
  const group = (trashAssetIds: string[]) => ({
    duplicateId: crypto.randomUUID(),
    keepAssetIds: photos,
    trashAssetIds,
  });
  const resolve =
    (trashed: string[]): Act =>
    (as) =>
      call(app, 'POST /duplicates/resolve', { as, body: { groups: [group(trashed)] } });
  await expectNeeds(resolve([crypto.randomUUID()]), 'duplicate.delete', [
    'asset.delete',
    'asset.update',
  ]);
  await expectNeeds(resolve([]), 'duplicate.delete', []);
});

describe('a copy of what belongs to an asset', () => {
  const copy: Act = (as) => {
    const body = { sourceId: photos[0], targetId: photos[1] };
    return call(app, 'PUT /assets/copy', { as, body });
  };

  test('needs nothing more where there is nothing to copy', () =>
    expectNeeds(copy, 'asset.copy', []));

  test('needs to add to its albums', async () => {
    const body = { albumName: 'a', assetIds: [photos[0]] };
    const { body: album } = await call(app, 'POST /albums', { as: me, body });
    await expectNeeds(copy, 'asset.copy', ['albumAsset.create']);
    await call(app, `DELETE /albums/${album.id}`, { as: me });
  });

  test('needs what its links give away, and is not made without', async () => {
    const values = {
      ownerId: me.id,
      type: 'INDIVIDUAL',
      key: crypto.getRandomValues(new Uint8Array(50)),
    } as const;
    const [link] = await database.db.insert(sharedLinks).values(values).returning();
    const linkId = link!.id;
    await database.db.insert(sharedLinkAssets).values({ linkId, assetId: photos[0]! });
    const refused = await copy(await addKey(['asset.copy', 'asset.read', 'asset.view']));
    expect(refused.status).toBe(403);
    expect(await database.db.$count(sharedLinkAssets)).toBe(1);
    await expectNeeds(copy, 'asset.copy', ['sharedLink.update', ...SHARED]);
    expect(await database.db.$count(sharedLinkAssets)).toBe(2);
  });
});
