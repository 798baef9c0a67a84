import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';
import {
  addWorkflow,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await add();
});

const add = (city: string | null = 'Lisbon') =>
  seed(database).asset({
    ownerId: me.id,
    takenAt: new Date('2024-05-06T12:00:00Z'),
    localTakenAt: '2024-05-06 12:00:00',
    exif: { city, country: 'Portugal' },
  });

/** Runs an action for the items, twice: the second time changes nothing. */
async function apply(name: string, config: object, assetIds = [photo]): Promise<Json> {
  const id = await addWorkflow(app, me, [{ method: `safelight#${name}`, config }]);
  for (let turn = 0; turn < 2; turn++) {
    await tagAssets(app, me, assetIds);
    await runWorkflows(database);
  }
  const log = await readLog(app, me, id);
  expect(log.map(({ result, error }) => [result, error])).toEqual(
    log.map(() => ['completed', null]),
  );
  return (await call(app, `GET /assets/${photo}`, { as: me })).body;
}

describe('actions', () => {
  test('add to an album by a template; what lacks a value is left out', async () => {
    const nowhere = await add(null);
    await apply('addToNamedAlbum', { name: '{{year}}/{{city}}' }, [photo, nowhere]);
    const { body } = await call(app, 'GET /albums', { as: me });
    expect(
      body.map((album: { albumName: string; assetCount: number }) => [
        album.albumName,
        album.assetCount,
      ]),
    ).toEqual([['2024/Lisbon', 1]]);
  });

  test('add tags by name, with those above', async () => {
    const { tags } = await apply('addNamedTags', { tags: ['Places/{{country}}', 'Drone'] });
    const values = tags.map(({ value }: { value: string }) => value);
    expect(values).toContain('Places/Portugal');
    expect(values).toContain('Drone');
  });

  test('rate, and take the stars away', async () => {
    expect((await apply('rate', { rating: 3 })).exifInfo.rating).toBe(3);
    await database.sql`delete from workflow`;
    expect((await apply('rate', { rating: 0 })).exifInfo.rating).toBeNull();
  });

  test('describe what has no description', async () => {
    expect((await apply('describe', { description: 'In {{city}}' })).exifInfo.description).toBe(
      'In Lisbon',
    );
    await database.sql`delete from workflow`;
    expect((await apply('describe', { description: 'Other' })).exifInfo.description).toBe(
      'In Lisbon',
    );
  });

  test('notify the owner only, many items at once', async () => {
    const stranger = await seed(database).user(['all'], { isAdmin: true });
    await apply('notify', { message: 'Look' }, [photo, await add()]);
    const { body } = await call(app, 'GET /notifications', { as: me });
    expect(body).toMatchObject([{ title: 'Look', data: { kind: 'workflow' } }]);
    expect((await call(app, 'GET /notifications', { as: stranger })).body).not.toContainEqual(
      expect.objectContaining({ title: 'Look' }),
    );
  });
});
