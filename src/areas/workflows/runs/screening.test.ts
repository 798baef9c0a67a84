import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { writeTaggedPhoto } from '../../../../test/support/metadata.ts';
import { addFile, drainLane, jobCtx } from '../../../../test/support/processing.ts';
import {
  addWorkflow,
  core,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import { requireValue } from '../../../core/required.ts';
import { assetExif } from '../../../db/tables/assets.ts';
import type { WorkflowTrigger } from '../../../db/tables/workflows.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { handleReadMetadata } from '../../assets/exif/exif.handlers.ts';
import { readMetadata } from '../../assets/jobs.ts';
import { publishLocalFile } from '../../uploads/index.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import { handleAdvanceRuns } from './run.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await addPhoto();
});

const addPhoto = (ownerId = me.id): Promise<string> =>
  seed(database).asset({
    ownerId,
    fileName: 'beach.jpg',
    fileSize: 2_000_000,
    width: 400,
    height: 300,
    exif: { make: 'Canon', model: 'R5', city: 'Berlin', country: 'Germany', rating: 3 },
  });

const FAVORITE = core('assetFavorite');
const REJECTING = core('assetFileFilter', { pattern: 'screenshot' });
const PASSING = core('assetFileFilter', { pattern: 'beach' });

/** Creates a workflow that does not log. */
const add = (steps: readonly object[], over: object = {}, as = me): Promise<string> =>
  addWorkflow(app, as, steps, { trigger: 'AssetCreate', logging: false, ...over });

/** Returns whether an event of the photo is recorded, with its job; both are deleted again. */
async function isRecorded(trigger: WorkflowTrigger = 'AssetCreate', id = photo): Promise<boolean> {
  await recordEvents(database.db, trigger, [id]);
  const jobs = await database.sql`
    delete from job where name = 'workflows.advance' and payload ->> 'assetId' = ${id} returning 1`;
  const events = await database.sql`
    delete from workflow_event where asset_id = ${id} and trigger = ${trigger} returning 1`;
  expect(jobs.length).toBe(events.length);
  return events.length > 0;
}

/** Returns whether an event that is recorded in any case changes the photo or leaves a run. */
async function hasEffect(): Promise<boolean> {
  await database.sql`
    insert into workflow_event (asset_id, trigger, depth) values (${photo}, 'AssetCreate', 0)`;
  await handleAdvanceRuns(jobCtx(database), { assetId: photo });
  const runs = await database.sql`select 1 from workflow_run where asset_id = ${photo}`;
  const [{ is_favorite: isFavorite }] = await database.sql<[{ is_favorite: boolean }]>`
    select is_favorite from asset where id = ${photo}`;
  return isFavorite || runs.length > 0;
}

const group = (combine: string, ...filters: object[]) => own('groupFilter', { combine, filters });

describe('an event is recorded only where a workflow may have something to do', () => {
  test.each<[string, boolean, object[]]>([
    ['a name that does not match', false, [REJECTING]],
    ['a name that matches', true, [PASSING]],
    ['an expression', false, [core('assetFileFilter', { pattern: '^s.*g$', matchType: 'regex' })]],
    ['the second of two filters', false, [PASSING, own('sizeFilter', { min: 3 })]],
    ['two filters that match', true, [PASSING, own('sizeFilter', { max: 2 })]],
    ['a disabled filter', true, [{ ...REJECTING, enabled: false }]],
    ['a filter behind an action', true, [FAVORITE, REJECTING]],
    ['a camera', false, [own('cameraFilter', { pattern: 'Nikon' })]],
    ['a device', false, [own('deviceFilter', { pattern: 'iPhone' })]],
    ['an extension', false, [own('extensionFilter', { extensions: ['png'] })]],
    ['a place', false, [core('assetLocationFilter', { region: { city: 'Paris' } })]],
    ['stars', false, [own('ratingFilter', { min: 4 })]],
    ['a type', false, [core('assetTypeFilter', { allowedTypes: ['VIDEO'] })]],
    ['a duration', false, [own('durationFilter', { min: 1 })]],
    ['favorites', false, [own('favoriteFilter')]],
    ['no tag', false, [core('assetTagFilter', { tags: [], matching: 'any' })]],
    ['without a tag', true, [core('assetTagFilter', { tags: [], matching: 'none' })]],
    ['no album', false, [own('albumFilter', { albumIds: [] })]],
    ['a group without a match', false, [group('any', REJECTING, own('ratingFilter', { min: 4 }))]],
    ['a group with a match', true, [group('any', REJECTING, PASSING)]],
    ['recognized text', true, [own('textFilter', { pattern: 'invoice' })]],
    ['recognized text, behind a filter', false, [REJECTING, own('textFilter', { pattern: 'a' })]],
    ['a person, in a group', true, [group('all', core('filterPerson', { personIds: [] }))]],
  ])('%s: %p', async (_, expected, filters) => {
    await add([...filters, FAVORITE]);
    expect(await isRecorded()).toBe(expected);
    if (!expected) expect(await hasEffect()).toBe(false);
  });

  test('for a tag and an album that it has', async () => {
    const tag = await tagAssets(app, me, [photo]);
    const { body: album } = await call(app, 'POST /albums', {
      as: me,
      body: { albumName: 'Trip', assetIds: [photo] },
    });
    await add([core('assetTagFilter', { tags: [tag], matching: 'all' }), FAVORITE]);
    const trigger = 'AssetMetadataExtraction';
    await add([own('albumFilter', { albumIds: [album.id] }), FAVORITE], { trigger });
    expect([await isRecorded(), await isRecorded(trigger)]).toEqual([true, true]);
    photo = await addPhoto();
    expect([await isRecorded(), await isRecorded(trigger)]).toEqual([false, false]);
  });

  test('for the workflow among many that lets it pass, and those that log', async () => {
    for (let n = 0; n < 5; n++) await add([REJECTING, FAVORITE]);
    expect(await isRecorded()).toBe(false);
    const id = await add([REJECTING, FAVORITE], { logging: true });
    expect(await isRecorded()).toBe(true);
    await recordEvents(database.db, 'AssetCreate', [photo]);
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toMatchObject([{ result: 'halted' }]);
    await call(app, `DELETE /workflows/${id}`, { as: me });
    expect(await isRecorded()).toBe(false);
    await add([PASSING, FAVORITE]);
    expect(await isRecorded()).toBe(true);
  });

  test('for workflows of the owner and the trigger, of each asset for itself', async () => {
    const stranger = await seed(database).user();
    await add([FAVORITE], {}, stranger);
    await add([REJECTING, FAVORITE]);
    await add([FAVORITE], { trigger: 'AssetMetadataExtraction' });
    const theirs = await addPhoto(stranger.id);
    const bystanders = await addPhoto((await seed(database).user()).id);
    // Tests before have left theirs.
    await database.sql`delete from workflow_event`;
    await recordEvents(database.db, 'AssetCreate', [photo, theirs, bystanders]);
    const events = await database.sql`delete from workflow_event returning asset_id`;
    expect(events.map((event) => event['asset_id'])).toEqual([theirs]);
  });
});

describe('every event is recorded', () => {
  test('of tags: what their transaction changes afterwards counts', async () => {
    await add([REJECTING, FAVORITE], { trigger: 'AssetTagged' });
    expect(await isRecorded('AssetTagged')).toBe(true);
  });

  test('of an asset with an earlier event or run that has not ended', async () => {
    const id = await add([REJECTING, FAVORITE], { trigger: 'AssetMetadataExtraction' });
    const trigger = 'AssetMetadataExtraction';
    expect(await isRecorded(trigger)).toBe(false);
    await database.sql`
      insert into workflow_event (asset_id, trigger, depth) values (${photo}, 'AssetCreate', 0)`;
    expect(await isRecorded(trigger)).toBe(true);
    await database.sql`delete from workflow_event`;
    const insertRun = (result: string | null) => {
      const run = Bun.randomUUIDv7();
      return database.sql`
        insert into workflow_run (id, run_id, attempt, workflow_id, asset_id, depth, result, is_logged,
          created_at, finished_at)
        values (${run}, ${run}, 1, ${id}, ${photo}, 0, ${result}, false, now(), now())`;
    };
    await insertRun('completed');
    expect(await isRecorded(trigger)).toBe(false);
    await insertRun(null);
    expect(await isRecorded(trigger)).toBe(true);
  });

  test('where a workflow cannot go on: its run tells why', async () => {
    const id = await add([REJECTING, FAVORITE]);
    await database.sql`
      update workflow set steps = steps || '[{"method": "gone#method", "config": {}, "enabled": true}]'
      where id = ${id}`;
    expect(await isRecorded()).toBe(true);
  });

  test('where more expressions would be searched than a request has time for', async () => {
    const expressions = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        core('assetFileFilter', { pattern: `^${n}$`, matchType: 'regex' }),
      );
    await add([...expressions(10), FAVORITE]);
    expect(await isRecorded()).toBe(false);
    await add([...expressions(10), FAVORITE]);
    expect(await isRecorded()).toBe(true);
  });
});

describe('a change is seen at the next event', () => {
  test('of what workflows do, and whether', async () => {
    const id = await add([REJECTING, FAVORITE]);
    const put = (body: object) => call(app, `PUT /workflows/${id}`, { as: me, body });
    for (const [body, expected] of [
      [{ steps: [PASSING, FAVORITE] }, true],
      [{ steps: [REJECTING, FAVORITE] }, false],
      [{ logging: true }, true],
      [{ logging: false }, false],
      [{ steps: [PASSING, FAVORITE] }, true],
      [{ enabled: false }, false],
      [{ enabled: true }, true],
      [{ trigger: 'AssetTagged' }, false],
    ] as const) {
      expect((await put(body)).status).toBe(200);
      expect(await isRecorded()).toBe(expected);
    }
  });

  test('of the key that has saved one: it is to be switched off', async () => {
    const permissions = ['workflow.create', 'asset.read', 'asset.update'];
    const body = { name: 'weak', permissions };
    const { body: made } = await call(app, 'POST /api-keys', { session: me, body });
    const key = { ...me, key: made.secret };
    await add([REJECTING, FAVORITE], {}, key);
    expect(await isRecorded()).toBe(false);
    await database.sql`
      update api_key set permissions = '{asset.read}' where user_id = ${me.id} and name = 'weak'`;
    expect(await isRecorded()).toBe(true);
    await database.sql`
      update api_key set permissions = '{asset.read,asset.update}' where user_id = ${me.id} and name = 'weak'`;
    expect(await isRecorded()).toBe(false);
    await database.sql`delete from api_key where user_id = ${me.id} and name = 'weak'`;
    expect(await isRecorded()).toBe(true);
  });
});

describe('an upload', () => {
  const send = async (fileName: string): Promise<string> =>
    (await upload(app, photoForm(randomFileBytes(), [], fileName), { as: me })).body.id;
  const listEvents = async () =>
    (await database.sql`select asset_id from workflow_event`).map((event) => event['asset_id']);
  beforeEach(async () => {
    await database.sql`delete from workflow_event`;
  });

  test('records its event if it passes, and then the workflow runs', async () => {
    await add([PASSING, FAVORITE]);
    const rejected = await send('city.jpg');
    expect(await listEvents()).toEqual([]);
    const passing = await send('beach.jpg');
    expect(await listEvents()).toEqual([passing]);
    await runWorkflows(database);
    const isFavorite = async (id: string) =>
      (await call(app, `GET /assets/${id}`, { as: me })).body.isFavorite;
    expect([await isFavorite(rejected), await isFavorite(passing)]).toEqual([false, true]);
  });

  test('is filtered by all that its transaction says of it: an import gives stars, albums and tags', async () => {
    await add([own('ratingFilter', { min: 5 }), FAVORITE]);
    const session = requireValue(await findAccountSession(database.db, me.id), 'session');
    const publish = async (rating: number) => {
      const path = join(database.deps.settings.dataDir, `${rating}.jpg`);
      await writeFile(path, randomFileBytes());
      const file = { path, fileName: 'a.jpg', type: 'IMAGE', createdAt: new Date() } as const;
      const ctx = { ...database.deps, session };
      const { id } = await publishLocalFile(ctx, me.id, file, async (db, { id }) => {
        await db.update(assetExif).set({ rating }).where(eq(assetExif.assetId, id));
      });
      return id;
    };
    const [, best] = [await publish(4), await publish(5)];
    expect(await listEvents()).toEqual([best]);
  });
});

test('the extraction of metadata records its event for what it has read', async () => {
  await add([own('cameraFilter', { pattern: 'Canon' }), FAVORITE], {
    trigger: 'AssetMetadataExtraction',
  });
  const read = async (make: string) => {
    const path = join(database.deps.settings.dataDir, `${make}.jpg`);
    const id = await addFile(database, await writeTaggedPhoto(path, [`-Make=${make}`]), {
      ownerId: me.id,
    });
    await enqueue(database.db, readMetadata, { assetId: id });
    await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
    return id;
  };
  await database.sql`delete from workflow_event`;
  const [, canon] = [await read('Nikon'), await read('Canon')];
  const events = await database.sql`select asset_id, trigger from workflow_event`;
  expect(events.map((event) => ({ ...event }))).toEqual([
    { asset_id: canon, trigger: 'AssetMetadataExtraction' },
  ]);
});
