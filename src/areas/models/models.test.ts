import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeClip, writeConse } from '../../../test/support/generated-models.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { type ModelHub, startModelHub } from '../../../test/support/model-hub.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import type { App } from '../../app.ts';
import { clearModelCache, getCapabilities } from '../../inference/capabilities.ts';
import { saveEmbeddings } from '../../inference/index.ts';
import { CATALOGUE } from '../../inference/models/catalogue.ts';
import type { Effect } from '../../jobs/define.ts';
import { handlePullSet } from './pull.handlers.ts';

const MODEL = CATALOGUE.find(({ set }) => set === 'clip')!;

let database: TestDatabase;
let app: App;
let admin: TestUser;
let hub: ModelHub;
let models: string;

beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  hub = await startModelHub(MODEL.hub!.repository);
  models = join(database.deps.paths.root, 'models');
  process.env['HF_ENDPOINT'] = hub.url;
});
afterAll(async () => {
  delete process.env['HF_ENDPOINT'];
  await hub.stop();
  await database.close();
});
beforeEach(() => {
  [hub.asked.length, hub.damaged, hub.gate] = [0, undefined, undefined];
});
afterEach(async () => {
  await database.sql`delete from operation`;
  await database.sql`delete from job`;
  await rm(models, { recursive: true, force: true });
  clearModelCache();
});

const get = async () => (await call(app, 'GET /admin/models', { as: admin })).body;
const start = (set: string, as = admin) =>
  call(app, 'POST /admin/models/pulls', { as, body: { set } });
const cancel = (id: string, as = admin) => call(app, `DELETE /admin/models/pulls/${id}`, { as });
const use = (name: string | null, as = admin) =>
  call(app, 'PUT /admin/models/search', { as, body: { name } });
const confirm = (as = admin) => call(app, 'POST /admin/models/search/confirm', { as });

const commit = (effect: Effect | void) =>
  database.db.transaction(async (tx) => void (await effect?.(tx)));
const run = async (operationId: string) =>
  commit(await handlePullSet(jobCtx(database), { operationId }));
const countJobs = async (name: string): Promise<number> => {
  const [row] = await database.sql`select count(*)::int as count from job where name = ${name}`;
  return row!['count'];
};

describe('a download', () => {
  test('is a job that installs a set, and has the photos analysed with it', async () => {
    const before = (await get()).sets.find(({ name }: { name: string }) => name === 'clip');
    expect(before.models).toEqual([
      {
        id: MODEL.id,
        use: MODEL.use,
        licence: 'MIT',
        origin: MODEL.origin,
        bytes: null,
        isDigestKnown: false,
        isInstalled: false,
      },
    ]);
    const { status, body } = await start('clip');
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ set: 'clip', state: 'queued' }),
    ]);
    expect(hub.asked).toEqual([]);
    // Asked for twice, it is downloaded once.
    expect((await start('clip')).body.id).toBe(body.id);
    expect(await countJobs('models.pullSet')).toBe(1);
    await run(body.id);
    const after = await get();
    expect(after.pull).toMatchObject({ id: body.id, state: 'completed', error: null, files: 6 });
    expect(after.sets.at(-1).models[0].isInstalled).toBe(true);
    expect(after.searchModels.map(({ name }: { name: string }) => name)).toEqual([
      MODEL.id,
      'default',
    ]);
    expect(getCapabilities(database.deps.settings).embedding?.modelId).toBe('ViT-B-32__openai');
    expect(await countJobs('inference.watchModels')).toBe(1);
  });

  test('tells its progress, is cancelled, and the next one goes on where it stopped', async () => {
    let open = () => {};
    hub.gate = new Promise((resolve) => (open = resolve));
    const { id } = (await start('clip')).body;
    const running = handlePullSet(jobCtx(database), { operationId: id });
    await until(async () => (await get()).pull.bytes > 0);
    const { state, file, bytes, totalBytes } = (await get()).pull;
    expect([state, file]).toEqual(['running', expect.stringContaining(MODEL.id)]);
    expect(bytes).toBeLessThan(totalBytes);
    expect((await cancel(id)).status).toBe(204);
    await commit(await running);
    open();
    expect((await get()).pull).toMatchObject({ state: 'cancelled' });
    const part = join(models, `${file}.part`);
    const { size } = statSync(part);
    expect(size).toBeGreaterThan(0);
    expect((await cancel(id)).status).toBe(404);

    // The newest is shown, and the clock of tests stands still.
    await database.sql`delete from operation`;
    [hub.asked.length, hub.gate] = [0, undefined];
    const next = (await start('clip')).body;
    expect(next.id).not.toBe(id);
    await run(next.id);
    expect((await get()).pull).toMatchObject({ id: next.id, state: 'completed' });
    const path = file.slice(MODEL.id.length);
    expect(hub.asked).toContain(`/storage${path} bytes=${size}-`);
    expect(existsSync(part)).toBe(false);
  });

  test('is begun once, however many administrators ask at once', async () => {
    const other = await seed(database).user(['all'], { isAdmin: true });
    const replies = await Promise.all([admin, other, admin, other].map((as) => start('clip', as)));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  });

  test('with other bytes than the hub states fails, and says why', async () => {
    hub.damaged = 'visual/model.onnx';
    const { id } = (await start('clip')).body;
    await run(id);
    const { pull, sets } = await get();
    expect(pull).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('the digest is'),
    });
    expect(sets.at(-1).models[0].isInstalled).toBe(false);
    expect(await countJobs('inference.watchModels')).toBe(0);
  });

  test('goes on after the server was stopped', async () => {
    const { id } = (await start('clip')).body;
    const stopped = AbortSignal.abort(new Error('The server stops'));
    await expect(
      handlePullSet(jobCtx(database, { signal: stopped }), { operationId: id }),
    ).rejects.toThrow('The server stops');
    expect((await get()).pull.state).toBe('running');
    await run(id);
    expect((await get()).pull.state).toBe('completed');
  });
});

describe('the model of the search', () => {
  beforeEach(async () => {
    await writeConse(models, 16);
    await writeClip(join(models, 'clip/made'), { dimension: 16, side: 32 });
    clearModelCache();
  });

  const read = () => Bun.file(join(models, 'search.json')).json();
  const listChosen = ({ searchModels }: { searchModels: { name: string; isChosen: boolean }[] }) =>
    searchModels.filter(({ isChosen }) => isChosen).map(({ name }) => name);

  test('is chosen, undone and confirmed', async () => {
    expect(await get()).toMatchObject({ choice: null });
    expect(listChosen(await get())).toEqual(['clip/made']);
    const { status, body } = await use('default');
    expect([status, listChosen(body), body.choice]).toEqual([200, ['default'], 'default']);
    expect(await read()).toEqual({ model: 'conse-1' });
    expect(await countJobs('inference.watchModels')).toBe(1);
    // The undo goes back to what was chosen before: nothing.
    expect(listChosen((await use(null)).body)).toEqual(['clip/made']);
    expect(await read()).toEqual({});
    const confirmed = (await confirm()).body;
    expect(confirmed.searchModels[0]).toMatchObject({ name: 'clip/made', isConfirmed: true });
    expect(await read()).toEqual({ confirmed: 'made' });
    const wrong = await use('clip/../../other');
    expect([wrong.status, wrong.body.errors[0]]).toMatchObject([
      400,
      { path: ['name'], message: 'Must be one of clip/made, default, or null' },
    ]);
  });

  test('tells how many photos each model has analysed', async () => {
    for (let n = 0; n < 3; n++) {
      const subjectId = await seed(database).asset({ ownerId: admin.id });
      const vector = new Float32Array(16).fill(0.25);
      await saveEmbeddings(database.db, 'conse-1', [{ kind: 'asset', subjectId, vector }]);
    }
    expect((await get()).searchModels).toEqual([
      { name: 'clip/made', isChosen: true, isConfirmed: false, photos: 0 },
      { name: 'default', isChosen: false, isConfirmed: false, photos: 3 },
    ]);
  });
});

test('accounts, links and keys without the permission neither see nor change models', async () => {
  const user = await seed(database).user(['all']);
  const reader = await seed(database).user(['adminConfig.read'], { isAdmin: true });
  const other = await seed(database).user(['album.read'], { isAdmin: true });
  const { id } = (await start('clip')).body;
  const list = (as?: TestUser) => call(app, 'GET /admin/models', as ? { as } : {});
  const statuses = async (as: TestUser) => {
    const all = [await list(as), await start('ocr', as), await cancel(id, as)];
    return [...all, await use('default', as), await confirm(as)].map(({ status }) => status);
  };
  expect(await statuses(user)).toEqual([403, 403, 403, 403, 403]);
  expect(await statuses(other)).toEqual([403, 403, 403, 403, 403]);
  expect(await statuses(reader)).toEqual([200, 403, 403, 403, 403]);
  expect((await list()).status).toBe(401);
  expect((await get()).pull).toMatchObject({ id, set: 'clip', state: 'queued' });
  expect(existsSync(join(models, 'search.json'))).toBe(false);
  expect((await start('nothing')).status).toBe(400);
});
