import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { writeClip } from '../../test/support/generated-models.ts';
import { seed, type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { withModels } from '../../test/support/models.ts';
import { derivedPath, drainLane } from '../../test/support/processing.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { handleRequeue } from '../areas/assets/processing/requeue.handlers.ts';
import { derivedName } from '../core/paths.ts';
import { enqueue } from '../jobs/queue.ts';
import type { HandlersByLane } from '../job-registry.ts';
import { requeueAssets } from '../areas/assets/jobs.ts';
import { jobs } from '../job-registry.ts';
import { clearModelCache } from './capabilities.ts';
import { closeInference } from './client.ts';
import { embeddingSink, featureSink } from './embeddings.sink.ts';
import { analysisHandlers } from './handlers.ts';
import { analyzeAsset, computeFeature, embedAsset, watchModels } from './jobs.ts';
import { defineSink, STORED_TASKS } from './tasks.ts';
import { startAnalysis } from '../areas/assets/index.ts';
import { listFaults } from '../jobs/faults.store.ts';
import { enqueueDueJobs, updateSchedule } from '../jobs/schedule.ts';
import { enqueueAnalysis } from './enqueue.ts';
import { createWatchHandler } from './watch.handlers.ts';

let bare: TestDatabase;
let ownerId: string;
beforeAll(async () => {
  bare = await testDatabase();
  ownerId = (await seed(bare).user()).id;
});
afterAll(async () => {
  await closeInference();
  await bare.close();
});
beforeEach(async () => {
  await bare.sql`truncate job, job_fault, queue, asset_analysis, analysis_model, embedding_model cascade`;
  await bare.sql`delete from asset`;
  await rm(join(bare.deps.settings.dataDir, 'models'), { recursive: true, force: true });
  clearModelCache();
});

/** The same library with the default set installed. */
const withDefaults = (): TestDatabase => ({
  ...bare,
  deps: { ...bare.deps, settings: withModels(bare.deps.settings.dataDir) },
});

/** With a CLIP model of its own, and nothing else. */
async function withClip(dimension: number): Promise<TestDatabase> {
  const folder = join(bare.deps.settings.dataDir, 'models/clip', `made-${dimension}`);
  await writeClip(folder, { dimension, side: 32 });
  clearModelCache();
  return bare;
}

/** An asset as rendering leaves it. */
async function shown(colour = '#c33', over: { visibility?: 'hidden' } = {}): Promise<string> {
  const id = await seed(bare).asset({ ownerId, thumbhash: new Uint8Array([1]), ...over });
  const name = derivedName(id, 'preview', 'jpg');
  const path = derivedPath(bare, name);
  await mkdir(dirname(path), { recursive: true });
  await sharp({ create: { width: 400, height: 300, channels: 3, background: colour } }).toFile(
    path,
  );
  await bare.sql`
    insert into asset_file values (${id}, 'preview', ${name}, 'image/jpeg', 1, 't')`;
  return id;
}

const sinks = () => {
  const have = [embeddingSink, featureSink];
  const others = STORED_TASKS.filter((task) => !have.some((sink) => sink.task === task));
  return [...have, ...others.map((task) => defineSink({ task, store: async () => {} }))];
};

const drain = (database: TestDatabase) =>
  drainLane(
    database,
    'inference',
    // No other job of the lane is queued here.
    analysisHandlers(sinks() as never) as HandlersByLane<'inference'>,
  );

const background = (database: TestDatabase) =>
  drainLane(database, 'background', {
    'assets.requeue': handleRequeue,
    'inference.awaitModels': createWatchHandler(startAnalysis),
    'inference.watchModels': createWatchHandler(startAnalysis),
  } as HandlersByLane<'background'>);

const analysed = async (id: string): Promise<Record<string, string>> => {
  const rows = await bare.sql<{ task: string; model_id: string }[]>`
    select task, model_id from asset_analysis where asset_id = ${id} order by task`;
  return Object.fromEntries(rows.map((row) => [row.task, row.model_id]));
};

const embedded = async (id: string): Promise<Record<string, number>> => {
  const rows = await bare.sql<{ model_id: string; bytes: number }[]>`
    select model_id, length(vector) as bytes from embedding
    join embedding_model on embedding_model.id = embedding.model
    where subject_id = ${id} order by model_id`;
  return Object.fromEntries(rows.map((row) => [row.model_id, row.bytes]));
};

const waiting = async (): Promise<string[]> => {
  const rows = await bare.sql<{ name: string }[]>`select name from job order by name`;
  return rows.map(({ name }) => name);
};

skipWithout('models').describe('with the default set', () => {
  test('one job runs all tasks and stores the results together', async () => {
    const id = await shown();
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await drain(withDefaults());
    expect(await analysed(id)).toMatchObject({ embedding: 'conse-1', feature: 'mobilenet-v1' });
    expect(Object.keys(await analysed(id)).sort()).toEqual([...STORED_TASKS].sort());
    expect(await embedded(id)).toEqual({ 'conse-1': 768, 'mobilenet-v1': 2048 });
    expect(await waiting()).toEqual([]);
  });

  test('a completed task is not repeated without force', async () => {
    const id = await shown();
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await drain(withDefaults());
    const stored = () => bare.sql`select xid from embedding where subject_id = ${id} order by xid`;
    const before = [...(await stored())];
    await enqueue(bare.db, embedAsset, { assetId: id });
    await drain(withDefaults());
    expect([...(await stored())]).toEqual(before);
    await enqueue(bare.db, computeFeature, { assetId: id, force: true });
    await drain(withDefaults());
    const after = [...(await stored())];
    expect(after[0]).toEqual(before[0]!);
    expect(after[1]).not.toEqual(before[1]!);
  });

  test('an undecodable preview is recorded and not retried', async () => {
    const id = await shown();
    await Bun.write(derivedPath(bare, derivedName(id, 'preview', 'jpg')), 'nonsense');
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await drain(withDefaults());
    const [row] = await bare.sql`
      select failure from asset_analysis where asset_id = ${id} and task = 'feature'`;
    expect(row?.['failure']).toContain('unsupported');
    expect(await embedded(id)).toEqual({});
    expect(await waiting()).toEqual([]);
  });
});

describe('models are installed and replaced', () => {
  test('without models the job succeeds and all tasks stay due', async () => {
    const id = await shown();
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await drain(bare);
    expect(await analysed(id)).toEqual({});
    expect(await waiting()).toEqual([]);
    await enqueue(bare.db, watchModels, {});
    await background(bare);
    expect(await waiting()).toEqual([]);
  });

  test('newly installed models enqueue the analysis once', async () => {
    const [id, hidden] = [await shown(), await shown('#222', { visibility: 'hidden' })];
    const library = await withClip(64);
    await enqueue(bare.db, watchModels, {});
    await background(library);
    expect(await waiting()).toEqual(['inference.analyze']);
    await drain(library);
    expect(await analysed(id)).toEqual({ embedding: 'made-64' });
    expect(await analysed(hidden)).toEqual({});
    await enqueue(bare.db, watchModels, {});
    await background(library);
    expect(await waiting()).toEqual([]);
  });

  test('models that are away for a while are told of, and what was added meanwhile is analysed within a minute', async () => {
    const library = await withClip(64);
    const models = join(bare.deps.settings.dataDir, 'models');
    await enqueue(bare.db, watchModels, {});
    await background(library);
    await bare.sql`truncate job`;
    const move = async (from: string, to: string) => {
      await rename(from, to);
      clearModelCache();
    };
    const watch = async () => {
      await bare.sql`update schedule set next_at = now() where name = 'inference.awaitModels'`;
      const awaiting = jobs.filter(({ name }) => name === 'inference.awaitModels');
      expect(awaiting[0]!.everyMinutes).toBe(1);
      await enqueueDueJobs(bare.db, awaiting, {});
      await background(library);
    };
    await updateSchedule(
      bare.db,
      jobs.filter(({ name }) => name === 'inference.awaitModels'),
      {},
    );
    await watch();
    expect([await waiting(), await listFaults(bare.db)]).toEqual([[], []]);

    await move(models, `${models}.away`);
    const [queued, rendered] = [await shown(), await shown('#333')];
    // Another node may have them.
    await bare.sql`insert into node (id, role, host, version, state, seen_at)
      values (gen_random_uuid(), 'worker', 'attic', '1', 'ready', now())`;
    await enqueueAnalysis(bare.db, bare.deps.settings, rendered);
    expect(await listFaults(bare.db)).toEqual([]);
    await bare.sql`delete from node where host = 'attic'`;
    await enqueue(bare.db, analyzeAsset, { assetId: queued });
    await drain(library);
    await enqueueAnalysis(bare.db, bare.deps.settings, rendered);
    expect(await listFaults(bare.db)).toMatchObject([
      { job: 'inference.awaitModels', error: expect.stringContaining('embedding') },
    ]);
    await watch();
    expect(await waiting()).toEqual([]);

    await move(`${models}.away`, models);
    await watch();
    expect(await waiting()).toEqual(['inference.analyze', 'inference.analyze']);
    expect(await listFaults(bare.db)).toEqual([]);
    await drain(library);
    for (const id of [queued, rendered])
      expect(await analysed(id)).toEqual({ embedding: 'made-64' });
  });

  test('models that were removed for good are not told of for longer than a day', async () => {
    const library = await withClip(64);
    await enqueue(bare.db, watchModels, {});
    await background(library);
    await rm(join(bare.deps.settings.dataDir, 'models'), { recursive: true });
    clearModelCache();
    await enqueue(bare.db, watchModels, {});
    await background(library);
    expect(await listFaults(bare.db)).toHaveLength(1);
    await bare.sql`update job_fault set since = now() - interval '25 hours'`;
    await enqueue(bare.db, watchModels, {});
    await background(library);
    expect(await listFaults(bare.db)).toEqual([]);
  });

  test('a new model analyzes everything again, in its own dimension', async () => {
    const id = await shown();
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await drain(await withClip(64));
    await rm(join(bare.deps.settings.dataDir, 'models'), { recursive: true });
    const library = await withClip(96);
    await enqueue(bare.db, watchModels, {});
    await background(library);
    await drain(library);
    expect(await analysed(id)).toEqual({ embedding: 'made-96' });
    expect(await embedded(id)).toEqual({ 'made-64': 128, 'made-96': 192 });
  });

  test('queues are started by their public names: only their own tasks, or all by force', async () => {
    const id = await shown();
    const library = await withClip(64);
    await enqueue(bare.db, requeueAssets, { queue: 'duplicateDetection', force: false });
    await background(library);
    // No model for it is installed.
    expect(await waiting()).toEqual([]);
    await enqueue(bare.db, requeueAssets, { queue: 'smartSearch', force: false });
    await background(library);
    expect(await waiting()).toEqual(['inference.embedAsset']);
    await drain(library);
    await enqueue(bare.db, requeueAssets, { queue: 'smartSearch', force: false });
    await background(library);
    expect(await waiting()).toEqual([]);
    await enqueue(bare.db, requeueAssets, { queue: 'smartSearch', force: true });
    await background(library);
    const [job] = await bare.sql`select payload from job`;
    expect(job?.['payload']).toEqual({ assetId: id, force: true });
  });

  test('the tasks of a paused queue are left out', async () => {
    const id = await shown();
    const library = await withClip(64);
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    await bare.sql`update job set queue = 'backgroundTask'`;
    await bare.sql`insert into queue values ('smartSearch', true)`;
    await drain(library);
    expect(await analysed(id)).toEqual({});
    expect(await waiting()).toEqual([]);
  });

  test('an asset deleted during its analysis leaves no results', async () => {
    const id = await shown();
    const library = await withClip(64);
    await enqueue(bare.db, analyzeAsset, { assetId: id });
    const handlers = analysisHandlers(sinks() as never);
    const effect = await handlers['inference.analyze'](
      {
        ...library.deps,
        signal: new AbortController().signal,
        isLastAttempt: true,
        onFailed: () => {},
        restartTimeLimit: () => {},
      },
      { assetId: id },
    );
    await bare.sql`delete from asset where id = ${id}`;
    await bare.db.transaction(async (tx) => void (await effect?.(tx)));
    expect(await embedded(id)).toEqual({});
    expect(await analysed(id)).toEqual({});
  });
});
