import { afterEach, beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { configWith } from '../../../test/support/config.ts';
import { call, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import { until } from '../../../test/support/until.ts';
import { startDispatcher } from '../../jobs/dispatch.ts';
import { getLaneConcurrency, selectLimits } from '../../jobs/limits.ts';
import { configureNewLibrary, DEFAULTS } from './index.ts';
import { readProcessConfig } from '../../process-config.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  await database.sql`truncate system_config`;
});

const withConcurrency = (jobs: { readonly [Queue in keyof typeof DEFAULTS.job]?: number }) =>
  configWith({
    job: Object.fromEntries(
      Object.entries(jobs).map(([queue, concurrency]) => [queue, { concurrency }]),
    ),
  });
const put = (body: object, over = app) => call(over, 'PUT /system-config', { as: admin, body });

test('the default leaves the concurrency to the machine, another value is in force', async () => {
  const { settings } = database.deps;
  expect((await readProcessConfig(database.db, settings)).limits).toEqual({});
  await put(withConcurrency({ thumbnailGeneration: 1, ocr: 2, library: 9, backgroundTask: 5 }));
  const limits = (await readProcessConfig(database.db, settings)).limits;
  expect(limits).toEqual({ thumbnailGeneration: 1, ocr: 2 });
  expect(selectLimits('image', limits)).toEqual({ thumbnailGeneration: 1 });
  expect(selectLimits('inference', limits)).toEqual({ ocr: 2 });
  expect(selectLimits('video', limits)).toEqual({});
});

test('no value is higher than the machine can bear', async () => {
  await put(withConcurrency({ videoConversion: 500, thumbnailGeneration: 500 }));
  const limits = (await readProcessConfig(database.db, database.deps.settings)).limits;
  expect(selectLimits('video', limits).videoConversion).toBeWithin(1, 5);
  expect(selectLimits('image', limits).thumbnailGeneration).toBeWithin(1, 17);
});

test.each([0, -1, 1.5])('a concurrency of %p is refused', async (concurrency) => {
  const { status, body } = await put(withConcurrency({ sidecar: concurrency }));
  expect([status, body.errors?.[0].path.join('.')]).toEqual([400, 'job.sidecar.concurrency']);
});

test('--media-concurrency wins and is shown as locked for the queues that it is about', async () => {
  const settings = { ...database.deps.settings, mediaConcurrency: 7 };
  const locked = testApp({ ...database, deps: { ...database.deps, settings } });
  await put(withConcurrency({ metadataExtraction: 1, editor: 1, smartSearch: 1 }));
  expect((await readProcessConfig(database.db, settings)).limits).toEqual({ smartSearch: 1 });
  expect([getLaneConcurrency('image', settings), getLaneConcurrency('metadata', settings)]).toEqual(
    [7, 7],
  );
  const { body } = await call(locked, 'GET /admin/config/locked', { as: admin });
  expect(JSON.stringify(body)).toContain('job.metadataExtraction.concurrency');
  const { body: config } = await call(locked, 'GET /system-config', { as: admin });
  expect(config.job).toEqual({
    ...DEFAULTS.job,
    metadataExtraction: { concurrency: 7 },
    thumbnailGeneration: { concurrency: 7 },
    editor: { concurrency: 7 },
    smartSearch: { concurrency: 1 },
  });
  const refused = await put(
    configWith({ job: { ...config.job, editor: { concurrency: 2 } } }),
    locked,
  );
  expect([refused.status, refused.body.errors[0].path.join('.')]).toEqual([
    400,
    'job.editor.concurrency',
  ]);
  expect((await put(configWith({ job: config.job }), locked)).status).toBe(200);
});

test('a change is announced to the dispatchers of all processes at its commit', async () => {
  const seen: unknown[] = [];
  const dispatchers = [1, 2].map(() =>
    startDispatcher({
      deps: database.deps,
      lanes: [],
      jobs: [],
      wake: () => {},
      readConfig: () => readProcessConfig(database.db, database.deps.settings),
      applyConfig: ({ limits }) => void seen.push(limits),
      pollMs: 600_000,
    }),
  );
  // At the start, and again when they listen.
  await until(() => seen.length === 4);
  await put(withConcurrency({ metadataExtraction: 1 }));
  await until(() => seen.length === 6);
  expect(seen.slice(4)).toEqual([{ metadataExtraction: 1 }, { metadataExtraction: 1 }]);
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
});

test('a new library on a small machine starts without recognition, one photo at a time, until somebody changes it', async () => {
  const { db, settings } = database.deps;
  for (const profile of ['medium', 'large'] as const) {
    await configureNewLibrary(db, profile, new Date());
    expect((await call(app, 'GET /system-config', { as: admin })).body).toEqual(DEFAULTS);
  }
  await configureNewLibrary(db, 'small', new Date());
  const { body } = await call(app, 'GET /system-config', { as: admin });
  expect(body.machineLearning).toEqual({ ...DEFAULTS.machineLearning, enabled: false });
  expect((await readProcessConfig(db, settings)).limits).toEqual({
    metadataExtraction: 1,
    thumbnailGeneration: 1,
    editor: 1,
  });
  expect((await put(configWith({}))).status).toBe(200);
  expect((await readProcessConfig(db, settings)).limits).toEqual({});
});
