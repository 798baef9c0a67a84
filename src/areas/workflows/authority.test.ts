import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications } from '../../../test/support/notifications.ts';
import {
  addWorkflow,
  core,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../test/support/workflows.ts';
import type { Permission } from '../../access/permissions.ts';
import type { Asset } from '../assets/schemas.ts';
import { listPermissions } from './definition.ts';
import { methods, toMethodKey } from './methods/catalogue.ts';

const { database, app } = await useApp();
let me: TestUser;
let stranger: TestUser;
let photo: string;
beforeEach(async () => {
  [me, stranger] = [await seed(database).user(), await seed(database).user()];
  photo = await seed(database).asset({ ownerId: me.id });
});

const BASIC = ['workflow.create', 'workflow.update', 'workflow.read', 'asset.read'];
/** A key of the account that holds these permissions beside those to save workflows. */
async function addKey(...permissions: string[]): Promise<TestUser> {
  const body = { name: 'weak', permissions: [...BASIC, ...permissions] };
  const { body: made } = await call(app, 'POST /api-keys', { session: me, body });
  return { ...me, key: made.secret };
}
const save = (as: TestUser, ...steps: object[]) =>
  call(app, 'POST /workflows', { as, body: { trigger: 'AssetTagged', logging: true, steps } });
const getAsset = async (): Promise<Asset> =>
  (await call(app, `GET /assets/${photo}`, { as: me })).body;
const tagAndRun = async () => {
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
};
const revokeAll = () =>
  database.sql`delete from api_key where user_id = ${me.id} and name = 'weak'`;

const ID = crypto.randomUUID();
const CASES: readonly [object, ...Permission[]][] = [
  [core('assetFileFilter', { pattern: 'a' })],
  [core('assetFavorite'), 'asset.update'],
  [core('assetArchive', {}, false), 'asset.update'],
  [core('assetAddToAlbums', { albumIds: [ID] }), 'albumAsset.create'],
  [core('assetAddToAlbums', { albumIds: [], albumName: 'a' }), 'albumAsset.create', 'album.create'],
  [core('assetAddTags', { tags: [ID] }), 'tag.asset'],
  [own('addNamedTags', { tags: ['a'] }), 'tag.asset', 'tag.create'],
  [own('stackBurst'), 'stack.create'],
  [own('mail', { message: 'a' })],
  [
    own('shareToPersonAlbum', { personIds: [ID], userIds: [ID] }),
    'albumAsset.create',
    'album.create',
    'albumUser.create',
    'asset.view',
    'asset.download',
  ],
];

describe('saving needs the permissions of what the steps do', () => {
  for (const [step, ...needed] of CASES) {
    const name = (step as { method: string }).method.split('#')[1];
    test(`${name}: ${needed.join(', ') || 'asset.read'}`, async () => {
      expect(listPermissions([step as never]).toSorted()).toEqual(
        ['asset.read' as const, ...needed].toSorted(),
      );
      for (const missing of needed) {
        const key = await addKey(...needed.filter((one) => one !== missing));
        const { status, body } = await save(key, step);
        expect([status, body.message]).toEqual([403, `Missing required permission: ${missing}`]);
      }
      // Then nothing but the ids may be wrong.
      expect([201, 400]).toContain((await save(await addKey(...needed), step)).status);
    });
  }

  test('every method needs to see the items, and a key cannot switch on what it may not do', async () => {
    for (const method of methods) {
      const step = { method: toMethodKey(method), config: { albumIds: [] }, enabled: true };
      expect(listPermissions([step])).toContain('asset.read');
    }
    const id = await addWorkflow(app, me, [core('assetFavorite')], { enabled: false });
    const key = await addKey();
    const put = (body: object, as = key) => call(app, `PUT /workflows/${id}`, { as, body });
    for (const body of [
      { enabled: true },
      { trigger: 'AssetCreate' },
      { steps: [core('assetLock')] },
    ]) {
      expect((await put(body)).status).toBe(403);
    }
    expect((await put({ name: 'Renamed' })).status).toBe(200);
    expect((await call(app, `GET /workflows/${id}`, { as: me })).body).toMatchObject({
      name: 'Renamed',
      enabled: false,
      trigger: 'AssetTagged',
      steps: [core('assetFavorite')],
    });
    await call(app, `PUT /workflows/${id}`, { session: me, body: { enabled: true } });
    expect((await call(app, `POST /workflows/${id}/backfills`, { as: key })).status).toBe(403);
    expect((await put({ enabled: false })).status).toBe(200);
  });
});

describe('a workflow that a key has saved', () => {
  test('acts as long as the key may', async () => {
    const key = await addKey('asset.update');
    const { body } = await save(key, core('assetFavorite'));
    await tagAndRun();
    expect((await getAsset()).isFavorite).toBe(true);
    expect(await readLog(app, me, body.id)).toMatchObject([{ result: 'completed' }]);
  });

  for (const [what, weaken, reason] of [
    ['was revoked', revokeAll, 'The API key that saved this workflow was revoked'],
    [
      'has lost a permission',
      () =>
        database.sql`update api_key set permissions = ${BASIC} where user_id = ${me.id} and name = 'weak'`,
      'The API key that saved this workflow lacks the permission asset.update',
    ],
  ] as const) {
    test(`is switched off when the key ${what}, and tells why, once`, async () => {
      const key = await addKey('asset.update');
      const { body } = await save(key, core('assetFavorite'));
      await weaken();
      await tagAndRun();
      await tagAndRun();
      expect((await getAsset()).isFavorite).toBe(false);
      expect(await readLog(app, me, body.id)).toMatchObject([{ result: 'error', error: reason }]);
      const { body: stored } = await call(app, `GET /workflows/${body.id}`, { as: me });
      expect(stored.enabled).toBe(false);
      const told = await listNotifications(app, me);
      expect(told.map(({ description }) => description)).toEqual([reason]);
      // The owner answers for it from now on.
      await call(app, `PUT /workflows/${body.id}`, { session: me, body: { enabled: true } });
      await tagAndRun();
      expect((await getAsset()).isFavorite).toBe(true);
    });
  }

  test('stays that of the key when it is renamed, and becomes that of who changes what it does', async () => {
    const weak = await addKey('asset.update');
    const { body } = await save(weak, core('assetFavorite'));
    const put = (change: object) =>
      call(app, `PUT /workflows/${body.id}`, { session: me, body: change });
    await put({ name: 'Mine' });
    const readKey = async () =>
      (await database.sql`select api_key_id from workflow where id = ${body.id}`)[0]!['api_key_id'];
    expect(await readKey()).not.toBeNull();
    await put({ steps: [core('assetFavorite')] });
    expect(await readKey()).toBeNull();
    await revokeAll();
    await tagAndRun();
    expect((await getAsset()).isFavorite).toBe(true);
  });
});

describe('what a step names belongs to the account', () => {
  const refuse = async (step: object) => {
    const { status, body } = await save(me, step);
    return [status, body.errors?.[0].path.join('.')];
  };

  test('albums to edit or to see, tags, people and pets', async () => {
    const make = async (as: TestUser) => {
      const { body: album } = await call(app, 'POST /albums', { as, body: { albumName: 'a' } });
      const { body: tag } = await call(app, 'POST /tags', { as, body: { name: 'a' } });
      const { body: person } = await call(app, 'POST /people', { as, body: { name: 'a' } });
      const { body: pet } = await call(app, 'POST /pets', {
        as,
        body: { species: 'dog', name: 'a' },
      });
      return [album.id, tag.id, person.id, pet.id] as string[];
    };
    const mine = await make(me);
    const theirs = await make(stranger);
    const steps = ([album, tag, person, pet]: string[], first: string[]) => [
      core('assetAddToAlbums', { albumIds: [first[0], album] }),
      core('assetAddTags', { tags: [first[1], tag] }),
      core('assetTagFilter', { tags: [first[1], tag], matching: 'any' }),
      core('filterPerson', { personIds: [first[2], person] }),
      own('albumFilter', { albumIds: [first[0], album] }),
      own('petFilter', { petIds: [first[3], pet] }),
    ];
    for (const step of steps(mine, mine)) expect((await save(me, step)).status).toBe(201);
    for (const ids of [theirs, Array(4).fill(crypto.randomUUID()) as string[]]) {
      for (const step of steps(ids, mine)) {
        const [field] = Object.keys(step.config!);
        expect(await refuse(step)).toEqual([400, `steps.0.config.${field}.1`]);
      }
    }
    const filters = [
      { method: 'immich-plugin-core#filterPerson', config: { personIds: [theirs[2]] } },
    ];
    expect(await refuse(own('groupFilter', { combine: 'any', filters }))).toEqual([
      400,
      'steps.0.config.filters.0.config.personIds.0',
    ]);

    // A member may look for what is in an album, and adds to it as an editor only.
    const share = (role: string) =>
      call(app, `PUT /albums/${theirs[0]}/users`, {
        as: stranger,
        body: { albumUsers: [{ userId: me.id, role }] },
      });
    await share('viewer');
    expect(await refuse(own('albumFilter', { albumIds: [theirs[0]] }))).toEqual([201, undefined]);
    expect(await refuse(core('assetAddToAlbums', { albumIds: [theirs[0]] }))).toEqual([
      400,
      'steps.0.config.albumIds.0',
    ]);
  });
});
