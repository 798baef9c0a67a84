import { describe, expect, test } from 'bun:test';
import { useHousehold } from './support/database.ts';
import { call, seed, testApp, testDatabase } from './support/harness.ts';

// A member's default is part of the interface: clients leave members out. Each operation of Immich's API that creates
// something, with its required members only, and the values that Immich 3.2 gives to the others.

const { database, app, house, me } = await useHousehold();
const { owner, ids, albumId } = house;

type Case = readonly [
  route: `POST /${string}` | `PUT /${string}`,
  body: object,
  values: object,
  absent?: readonly string[],
];

const LINK = {
  allowDownload: true,
  allowUpload: true,
  description: null,
  expiresAt: null,
  password: null,
  showMetadata: true,
  slug: null,
};

const CASES: readonly Case[] = [
  ['POST /shared-links', { type: 'INDIVIDUAL', assetIds: [ids.plain] }, LINK, ['album']],
  ['POST /shared-links', { type: 'ALBUM', albumId }, { ...LINK, assets: [] }],
  [
    'POST /albums',
    { albumName: 'New' },
    {
      albumThumbnailAssetId: null,
      assetCount: 0,
      description: '',
      hasSharedLink: false,
      isActivityEnabled: true,
      order: 'desc',
      shared: false,
    },
  ],
  ['POST /api-keys', { permissions: ['asset.read'] }, { apiKey: { name: 'API Key' } }],
  ['POST /tags', { name: 'New tag' }, { value: 'New tag' }, ['color', 'parentId']],
  ['POST /stacks', { assetIds: [ids.favorite, ids.video] }, { primaryAssetId: ids.favorite }],
  [
    'POST /memories',
    { type: 'on_this_day', data: { year: 2020 }, memoryAt: '2024-05-01T00:00:00.000Z' },
    { assets: [], isSaved: false },
    ['deletedAt', 'hideAt', 'seenAt', 'showAt'],
  ],
  ['POST /activities', { albumId, type: 'like' }, { assetId: null, comment: null }],
  ['POST /partners', { sharedWithId: me.id }, { inTimeline: false }],
  ['POST /people', {}, { birthDate: null, isFavorite: false, isHidden: false, name: '' }],
  ['POST /sessions', {}, { deviceOS: '', deviceType: '', isPendingSyncReset: false }],
  ['POST /workflows', { trigger: 'AssetCreate' }, { enabled: true, name: null, steps: [] }],
];

/** Operations of administrators. */
const ADMIN_CASES: readonly Case[] = [
  [
    'POST /libraries',
    { ownerId: owner.id },
    {
      assetCount: 0,
      // And the folders of other systems for what is deleted.
      exclusionPatterns: expect.arrayContaining([
        '**/@eaDir/**',
        '**/._*',
        '**/#recycle/**',
        '**/#snapshot/**',
      ]),
      importPaths: [],
      name: 'New External Library',
      refreshedAt: null,
    },
  ],
  [
    'POST /admin/users',
    { email: 'new@example.com', name: 'New', password: 'a password' },
    {
      deletedAt: null,
      isAdmin: false,
      oauthId: '',
      profileImagePath: '',
      quotaSizeInBytes: null,
      quotaUsageInBytes: 0,
      shouldChangePassword: true,
      status: 'active',
      storageLabel: null,
    },
  ],
];

describe('what is left out has the value of Immich', () => {
  const check = async ([route, body, values, absent = []]: Case, session: typeof owner) => {
    const reply = await call(app, route, { session, body });
    expect([route, reply.status]).toEqual([route, 201]);
    expect(reply.body).toMatchObject(values);
    for (const name of absent) expect(Object.keys(reply.body)).not.toContain(name);
  };
  for (const given of CASES) test(given[0], () => check(given, owner));
  for (const given of ADMIN_CASES) {
    test(given[0], async () => check(given, await seed(database).user(['all'], { isAdmin: true })));
  }

  test('POST /auth/admin-sign-up', async () => {
    await using empty = await testDatabase();
    const body = { email: 'first@example.com', name: 'First', password: 'a password' };
    expect(await call(testApp(empty), 'POST /auth/admin-sign-up', { body })).toMatchObject({
      status: 201,
      body: { isAdmin: true, quotaSizeInBytes: null, storageLabel: 'admin' },
    });
  });
});
