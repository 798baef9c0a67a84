import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { emptyTables } from '../../../test/support/empty-tables.ts';
import { call, seed, type TestDatabase, type TestUser } from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import { addPerson, faceVector } from '../../../test/support/people.ts';
import { drainLane } from '../../../test/support/processing.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { mergeVerdicts } from '../../db/tables/people.ts';
import { handleRequeue } from '../assets/processing/requeue.handlers.ts';
import { handleCleanUpPeople } from '../people/clustering/clustering.handlers.ts';
import { handleCleanUpTags } from '../tags/handlers.ts';
import type { HandlersByLane } from '../../job-registry.ts';
import type { JobRun } from './runs/runs.schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeEach(async () => {
  await emptyTables(database, 'job', 'job_run', 'app_user');
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const drainBackground = (over: TestDatabase = database) =>
  drainLane(over, 'background', {
    'assets.requeue': handleRequeue,
    'people.cleanUp': handleCleanUpPeople,
    'tags.cleanUp': handleCleanUpTags,
  } as HandlersByLane<'background'>);

/** Starts a manual job, runs what it enqueues in the background, and returns its run. */
async function runJob(name: string, over?: TestDatabase): Promise<JobRun> {
  const { status } = await call(app, 'POST /jobs', { as: admin, body: { name } });
  expect(status).toBe(204);
  await drainBackground(over);
  const { body } = await call(app, 'GET /jobs/runs', { as: admin });
  return body.items[0];
}

const listTargets = async (runId: string) => {
  const { body } = await call(app, `GET /jobs/runs/${runId}/items`, { as: admin });
  return body.items.map(({ targetType, targetId }: { targetType: string; targetId: string }) => ({
    targetType,
    targetId,
  }));
};

test('person-cleanup deletes people without faces of all accounts, but nothing that was decided', async () => {
  const other = await seed(database).user();
  const [ownerId, otherId] = [admin.id, other.id];
  const kept = {
    named: await addPerson(database, { ownerId, name: 'Anna' }),
    dated: await addPerson(database, { ownerId, birthDate: '1990-01-01' }),
    hidden: await addPerson(database, { ownerId, isHidden: true }),
    favorite: await addPerson(database, { ownerId, isFavorite: true }),
    manual: await addPerson(database, { ownerId, isManual: true }),
    seen: await addPerson(database, { ownerId }, [faceVector(1)]),
    onlyLocked: await addPerson(database, { ownerId }, [faceVector(2)]),
    judged: await addPerson(database, { ownerId }),
    judgedToo: await addPerson(database, { ownerId: otherId }),
  };
  await database.sql`update asset set locked_at = now() where id = ${kept.onlyLocked.faces[0]!.assetId}`;
  const ids = [kept.judged.id, kept.named.id].toSorted();
  await database.db
    .insert(mergeVerdicts)
    .values({ ownerId, lowId: ids[0]!, highId: ids[1]!, verdict: 'different' });
  const { id: ignored } = kept.judgedToo;
  await database.db
    .insert(mergeVerdicts)
    .values({ ownerId: otherId, lowId: ignored, highId: ignored, verdict: 'ignore' });
  const merged = await addPerson(database, { ownerId, mergedInto: kept.named.id });
  const survivor = await addPerson(database, { ownerId: otherId });
  const tombstone = await addPerson(database, { ownerId: otherId, mergedInto: survivor.id });
  const gone = [
    await addPerson(database, { ownerId }),
    await addPerson(database, { ownerId: otherId }),
  ];

  const run = await runJob('person-cleanup');
  expect(run).toMatchObject({
    name: 'person-cleanup',
    trigger: 'manual',
    status: 'completed',
    total: 2,
    processed: 2,
    succeeded: 2,
    requestedById: admin.id,
  });
  expect(await listTargets(run.id)).toEqual(
    [ownerId, otherId].toSorted().map((targetId) => ({ targetType: 'user', targetId })),
  );
  const left = (await database.sql`select id from person`).map((row) => row['id'] as string);
  expect(left.toSorted()).toEqual(
    [...Object.values(kept), merged, survivor, tombstone].map(({ id }) => id).toSorted(),
  );
  expect(left).not.toContain(gone[0]!.id);
  expect((await database.sql`select * from merge_verdict`).length).toBe(2);
});

test('tag-cleanup deletes tags that no asset has, nor a tag below them', async () => {
  const other = await seed(database).user();
  const asset = await seed(database).asset({ ownerId: admin.id });
  const trashed = await seed(database).asset({ ownerId: admin.id, trashedAt: new Date() });
  const locked = await seed(database).asset({ ownerId: admin.id, lockedAt: new Date() });
  const addTags = async (as: TestUser, tags: string[]): Promise<Record<string, string>> => {
    const { body } = await call(app, 'PUT /tags', { as, body: { tags } });
    return Object.fromEntries(
      body.map((tag: { value: string; id: string }) => [tag.value, tag.id]),
    );
  };
  const mine = await addTags(admin, ['a/b/c', 'a/b/unused', 'trashed', 'locked', 'alone/child']);
  await addTags(other, ['a/b/c', 'empty']);
  await database.sql`
    insert into tag_asset (tag_id, asset_id) values (${mine['a/b/c']!}, ${asset}),
      (${mine['trashed']!}, ${trashed}), (${mine['locked']!}, ${locked})`;

  const run = await runJob('tag-cleanup');
  expect(run).toMatchObject({ name: 'tag-cleanup', status: 'completed', total: 2, succeeded: 2 });
  const left = await database.sql`select owner_id, value from tag order by value`;
  expect(left.map((row) => [row['owner_id'], row['value']])).toEqual(
    ['a', 'a/b', 'a/b/c', 'locked', 'trashed'].map((value) => [admin.id, value]),
  );
  const { body } = await call(app, 'GET /tags/statistics', { as: admin });
  expect(body).toContainEqual({ tagId: mine['a/b/c'], count: 1, totalCount: 1 });
});

describe('what is recognised again', () => {
  test('video-enrichment-refresh is about all videos that can be shown', async () => {
    const other = await seed(database).user();
    const add = (over: object) => seed(database).asset({ ownerId: admin.id, ...over });
    const videos = [
      await add({ type: 'VIDEO' }),
      await add({ type: 'VIDEO', ownerId: other.id, trashedAt: new Date() }),
    ];
    await add({ type: 'IMAGE' });
    await add({ type: 'VIDEO', visibility: 'hidden' });
    await add({ type: 'VIDEO', brokenReason: 'broken: x' });

    const run = await runJob('video-enrichment-refresh');
    expect(run).toMatchObject({ queue: 'smartSearch', force: true, total: 2, status: 'queued' });
    expect(await listTargets(run.id)).toEqual(
      videos.toSorted().map((targetId) => ({ targetType: 'asset', targetId })),
    );
    const jobs = await database.sql`select name, payload from job order by payload ->> 'assetId'`;
    expect([...jobs]).toEqual(
      videos.toSorted().map((assetId) => ({
        name: 'enrichment.pickFrames',
        payload: { assetId, force: true },
      })),
    );
    await call(app, 'PUT /jobs/smartSearch', { as: admin, body: { command: 'empty' } });
    const { body } = await call(app, 'GET /jobs/runs', { as: admin });
    expect(body.items[0]).toMatchObject({ total: 2, processed: 2, skipped: 2 });
  });

  skipWithout('models').test('document-refresh is about all assets with a preview', async () => {
    const add = async (over: object = {}) => {
      const id = await seed(database).asset({ ownerId: admin.id, ...over });
      await database.sql`
        insert into asset_file values (${id}, 'preview', ${`${id}.jpg`}, 'image/jpeg', 1, 't')`;
      return id;
    };
    const shown = await add();
    await seed(database).asset({ ownerId: admin.id });
    await add({ visibility: 'hidden' });
    const run = await runJob('document-refresh', {
      ...database,
      deps: { ...database.deps, settings: withModels(database.deps.settings.dataDir) },
    });
    expect(run).toMatchObject({ name: 'document-refresh', queue: 'ocr', force: true, total: 1 });
    const jobs = await database.sql`select name, payload from job`;
    expect([...jobs]).toEqual([
      { name: 'inference.readText', payload: { assetId: shown, force: true } },
    ] as never);
  });

  test('document-refresh completes without a model that reads', async () => {
    await seed(database).asset({ ownerId: admin.id });
    expect(await runJob('document-refresh')).toMatchObject({ total: 0, status: 'completed' });
  });
});
