import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
let clip: string;
let sound: string;
beforeAll(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
  clip = await seed(database).asset({ ownerId: me.id, type: 'VIDEO' });
  sound = await seed(database).asset({ ownerId: me.id, type: 'AUDIO' });
});

const run = (name: string, assetIds: string[], caller: Caller = { as: me }) =>
  call(app, 'POST /assets/jobs', { ...caller, body: { name, assetIds } });

/** Waiting jobs as `job asset`; each test begins without any. */
async function waiting(): Promise<string[]> {
  const names = new Map([
    [photo, 'photo'],
    [clip, 'clip'],
    [sound, 'sound'],
  ]);
  const rows = await database.sql`
    delete from job where state = 'waiting' and name ~ '^(assets|inference)[.]'
    returning name, payload ->> 'assetId' as id`;
  return rows.map((row) => `${row['name']} ${names.get(row['id'] as string)}`).toSorted();
}

describe('the requested job is enqueued for each asset that it applies to', () => {
  const cases: [string, string[]][] = [
    [
      'refresh-metadata',
      ['assets.readMetadata clip', 'assets.readMetadata photo', 'assets.readMetadata sound'],
    ],
    [
      'regenerate-thumbnail',
      ['assets.renderImage photo', 'assets.renderVideo clip', 'assets.renderVideo sound'],
    ],
    ['transcode-video', ['assets.transcodeVideo clip', 'assets.transcodeVideo sound']],
    ['refresh-faces', ['inference.detectFaces clip', 'inference.detectFaces photo']],
  ];
  for (const [name, expected] of cases) {
    test(name, async () => {
      // Asked twice, they wait once.
      for (let n = 0; n < 2; n++) {
        const reply = await run(name, [photo, clip, sound, photo]);
        expect(reply).toMatchObject({ status: 204, body: undefined });
      }
      expect(await waiting()).toEqual(expected);
    });
  }
});

describe('a refused request enqueues nothing', () => {
  test('an asset of another user in the list → 400', async () => {
    const other = await seed(database).user();
    const foreign = await seed(database).asset({ ownerId: other.id });
    for (const id of [foreign, crypto.randomUUID()]) {
      expect((await run('refresh-metadata', [photo, id])).status).toBe(400);
    }
    expect((await run('refresh-metadata', [photo], { as: other })).status).toBe(400);
    expect(await waiting()).toEqual([]);
  });

  test('an unknown job → 400', async () => {
    expect((await run('delete-everything', [photo])).status).toBe(400);
  });

  test('an empty list is accepted and enqueues nothing, as in Immich', async () => {
    expect((await run('refresh-metadata', [])).status).toBe(204);
    expect(await waiting()).toEqual([]);
  });

  test('a key without the permission → 403', async () => {
    const weak = await seed(database).user(['asset.update']);
    const reply = await run('refresh-metadata', [photo], { as: weak });
    expect(reply).toMatchObject({
      status: 403,
      body: { message: 'Missing required permission: job.create' },
    });
  });
});
