import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type NewAsset, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import {
  addWorkflow,
  core,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { Asset } from '../../assets/schemas.ts';
import type { WorkflowLogEntry } from '../schemas.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (values: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...values });

/** Returns whether each configuration of a filter lets the item pass, or the error. */
async function tryFilter(photo: string, name: string, ...configs: object[]): Promise<unknown[]> {
  const ids = [];
  for (const config of configs) ids.push(await addWorkflow(app, me, [core(name, config)]));
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
  const passed = [];
  for (const id of ids) {
    const [{ result, error }] = (await readLog(app, me, id)) as [WorkflowLogEntry];
    passed.push(error ?? result === 'completed');
    await call(app, `DELETE /workflows/${id}`, { as: me });
  }
  return passed;
}

async function apply(photo: string, name: string, config: object): Promise<Asset> {
  const id = await addWorkflow(app, me, [core(name, config)]);
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
  const log = await readLog(app, me, id);
  expect(new Set(log.map(({ result }) => result))).toEqual(new Set(['completed']));
  await call(app, `DELETE /workflows/${id}`, { as: me });
  return (await call(app, `GET /assets/${photo}`, { as: me })).body;
}

describe('filters', () => {
  test('by file name', async () => {
    const photo = await add({ fileName: 'Screenshot_1.PNG' });
    expect(
      await tryFilter(
        photo,
        'assetFileFilter',
        { pattern: 'screenshot' },
        { pattern: 'screenshot', caseSensitive: true },
        { pattern: 'shot', matchType: 'startsWith' },
        { pattern: 'screen', matchType: 'startsWith' },
        { pattern: 'screenshot_1', matchType: 'exact' },
        { pattern: 'screenshot_1.png', matchType: 'exact' },
        { pattern: String.raw`_\d\.png$`, matchType: 'regex' },
        { pattern: String.raw`_\d\.png$`, matchType: 'regex', caseSensitive: true },
      ),
    ).toEqual([true, false, false, true, false, true, true, false]);
  });

  test('an expression that would backtrack for years ends', async () => {
    const photo = await add({ fileName: `${'a'.repeat(250)}!` });
    const pattern = '^(a+)+$';
    expect(await tryFilter(photo, 'assetFileFilter', { pattern, matchType: 'regex' })).toEqual([
      false,
    ]);
  });

  test('an expression may not be too large', async () => {
    const filter = core('assetFileFilter', { pattern: '(?:(?:a?){30}){30}b', matchType: 'regex' });
    const body = { trigger: 'AssetCreate', steps: [filter] };
    expect(await call(app, 'POST /workflows', { as: me, body })).toMatchObject({
      status: 400,
      body: { errors: [{ path: ['steps', 0, 'config', 'pattern'] }] },
    });
  });

  test('by type, and by time zone', async () => {
    const photo = await add({ exif: { timeZone: 'Europe/Berlin' } });
    expect(
      await tryFilter(
        photo,
        'assetTypeFilter',
        { allowedTypes: ['IMAGE'] },
        { allowedTypes: ['VIDEO'] },
        { allowedTypes: [] },
      ),
    ).toEqual([true, false, false]);
    expect(await tryFilter(photo, 'assetMissingTimeZoneFilter', {}, { inverse: true })).toEqual([
      false,
      true,
    ]);
  });

  test('by place', async () => {
    const photo = await add({
      exif: { latitude: 52.52, longitude: 13.405, city: 'Berlin', country: 'Germany' },
    });
    const near = (latitude: number, radius: number) => ({
      coordinate: { latitude, longitude: 13.405, radius },
    });
    expect(
      await tryFilter(
        photo,
        'assetLocationFilter',
        { region: { city: 'Berlin', country: 'Germany' } },
        { region: { city: 'Paris' } },
        near(52.61, 11),
        near(52.61, 9),
        { region: { city: 'Berlin' }, ...near(0, 1) },
        {},
      ),
    ).toEqual([true, false, true, false, false, true]);
    const nowhere = await add();
    expect(await tryFilter(nowhere, 'assetLocationFilter', near(52, 20_000), {})).toEqual([
      false,
      true,
    ]);
  });

  test('by date, also each year and across the turn of the year', async () => {
    const photo = await add({
      takenAt: new Date('2024-01-01T23:30:00Z'),
      localTakenAt: '2024-01-02 00:30:00',
    });
    const day = (text: string) => {
      const [year, month, date] = text.split('-').map(Number);
      return { year, month, day: date };
    };
    const range = (start: string, end: string, recurring = false) => ({
      startDate: day(start),
      endDate: day(end),
      recurring,
    });
    expect(
      await tryFilter(
        photo,
        'assetDateFilter',
        range('2024-1-2', '2024-1-2'),
        range('2024-1-1', '2024-1-1'),
        range('2000-1-1', '2000-1-5', true),
        range('2000-12-20', '2001-1-6', true),
        range('2000-2-1', '2000-12-31', true),
      ),
    ).toEqual([true, false, true, true, false]);
  });

  test('by tags, with those above', async () => {
    const photo = await add();
    const { body } = await call(app, 'PUT /tags', { as: me, body: { tags: ['a/b', 'c'] } });
    const [below, other] = body.map(({ id }: { id: string }) => id);
    await call(app, `PUT /tags/${below}/assets`, { as: me, body: { ids: [photo] } });
    const { parentId: above } = body[0];
    const by = (matching: string, ...tags: string[]) => ({ tags, matching });
    expect(
      await tryFilter(
        photo,
        'assetTagFilter',
        by('any', below, other),
        by('all', below, other),
        by('all', below, above),
        by('none', below),
        by('none', other),
        by('any'),
      ),
    ).toEqual([true, false, true, false, true, false]);
  });

  test('by person, once the faces are known', async () => {
    const photo = await add();
    const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const bob = await addPerson(database, { ownerId: me.id, name: 'Bob' });
    await addFace(database, { ownerId: me.id, assetId: photo, personId: ann.id });
    const config = { personIds: [ann.id] };
    expect(await tryFilter(photo, 'filterPerson', config)).toEqual([
      'The models that this step needs are not installed',
    ]);
    await database.sql`
      insert into asset_analysis (asset_id, task, model_id) values (${photo}, 'faces', 'm')`;
    expect(
      await tryFilter(
        photo,
        'filterPerson',
        config,
        { personIds: [ann.id, bob.id] },
        { personIds: [ann.id, bob.id], matchAny: false },
        { personIds: [bob.id] },
      ),
    ).toEqual([true, true, false, false]);
  });
});

describe('actions', () => {
  test('archive, and back', async () => {
    const photo = await add();
    expect((await apply(photo, 'assetArchive', {})).visibility).toBe('archive');
    expect((await apply(photo, 'assetArchive', { inverse: true })).visibility).toBe('timeline');
    expect((await apply(photo, 'assetVisibility', { visibility: 'archive' })).visibility).toBe(
      'archive',
    );
  });

  test('favorite, and back', async () => {
    const photo = await add();
    expect((await apply(photo, 'assetFavorite', {})).isFavorite).toBe(true);
    expect((await apply(photo, 'assetFavorite', { inverse: true })).isFavorite).toBe(false);
  });

  test('lock; later steps and workflows do not see the item any more', async () => {
    const photo = await add();
    await addWorkflow(app, me, [core('assetLock'), core('assetFavorite')]);
    const later = await addWorkflow(app, me, [core('assetArchive')]);
    await tagAssets(app, me, [photo]);
    await runWorkflows(database);
    const [row] = await database.sql`
      select locked_at is not null as locked, is_favorite, visibility from asset where id = ${photo}`;
    expect(row).toEqual({ locked: true, is_favorite: false, visibility: 'timeline' });
    expect(await readLog(app, me, later)).toEqual([]);
  });

  test('add to albums by id', async () => {
    const photo = await add();
    const { body: album } = await call(app, 'POST /albums', { as: me, body: { albumName: 'x' } });
    const config = { albumIds: [album.id] };
    await apply(photo, 'assetAddToAlbums', config);
    await apply(photo, 'assetAddToAlbums', config);
    const { body } = await call(app, `GET /albums/${album.id}`, { as: me });
    expect(body.assetCount).toBe(1);
  });

  test('add to an album by name, which is created once', async () => {
    const photos = await Promise.all([add(), add(), add()]);
    await addWorkflow(app, me, [core('assetAddToAlbums', { albumIds: [], albumName: 'Trips' })]);
    const stranger = await seed(database).user();
    await call(app, 'POST /albums', { as: stranger, body: { albumName: 'Trips' } });
    await tagAssets(app, me, photos);
    await runWorkflows(database);
    const { body } = await call(app, 'GET /albums?name=Trips', { as: me });
    expect(body.map(({ assetCount }: { assetCount: number }) => assetCount)).toEqual([3]);
    const { body: theirs } = await call(app, 'GET /albums?name=Trips', { as: stranger });
    expect(theirs.map(({ assetCount }: { assetCount: number }) => assetCount)).toEqual([0]);
  });

  test('add tags', async () => {
    const photo = await add();
    const [first, second, other] = [
      await tagAssets(app, me, []),
      await tagAssets(app, me, []),
      await tagAssets(app, me, []),
    ];
    const { tags } = await apply(photo, 'assetAddTags', { tags: [first, second] });
    const ids = tags!.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([first, second]));
    expect(ids).not.toContain(other);
  });
});
