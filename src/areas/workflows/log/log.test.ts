import { beforeEach, describe, expect, test } from 'bun:test';
import { deleteForGood } from '../../../../test/support/deletion.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import {
  addFailingWorkflow,
  addWorkflow,
  core,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { WorkflowLogEntry } from '../schemas.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
});

const retry = (id: string, runId: string, caller: Caller = { as: me }) =>
  call(app, `POST /workflows/${id}/runs/${runId}/retry`, caller);

async function addFailedRun() {
  const id = await addFailingWorkflow(app, me, [core('assetFavorite')]);
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
  const [entry] = await readLog(app, me, id);
  return { id, entry: entry! };
}

describe('the log', () => {
  test('has how each run ended, at which step, and why', async () => {
    const { id, entry } = await addFailedRun();
    expect(entry).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      result: 'error',
      runId: entry.id,
      attempt: 1,
      canRetry: true,
      error: 'Not found or no albumAsset.create access',
      triggerDataId: photo,
      lastStep: { index: 1, method: 'immich-plugin-core#assetAddToAlbums' },
    });
    const halted = await addWorkflow(app, me, [core('assetFileFilter', { pattern: 'none' })]);
    const completed = await addWorkflow(app, me, [core('assetFileFilter', { pattern: 'a' })]);
    await tagAssets(app, me, [photo]);
    await runWorkflows(database);
    expect(await readLog(app, me, halted)).toMatchObject([
      { result: 'halted', error: null, lastStep: { index: 0 } },
    ]);
    const [last] = await readLog(app, me, completed);
    expect(last!.result).toBe('completed');
    expect(last!.lastStep).toBeUndefined();
    expect(await readLog(app, me, id)).toHaveLength(2);
  });

  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  async function addEntry(workflowId: string, minute: number, result = 'completed') {
    const run = Bun.randomUUIDv7();
    await database.sql`
      insert into workflow_run (id, run_id, attempt, workflow_id, asset_id, depth, result, is_logged,
        created_at, finished_at)
      values (${run}, ${run}, 1, ${workflowId}, ${photo}, 0, ${result}, true, ${at(minute)},
        ${at(minute)})`;
  }

  test('is newest first; before is exclusive; by result', async () => {
    const id = await addWorkflow(app, me, []);
    for (const minute of [1, 3, 2]) await addEntry(id, minute, minute === 2 ? 'halted' : undefined);
    const times = async (query: string) =>
      (await call(app, `GET /workflows/${id}/logs${query}`, { as: me })).body.map(
        (entry: { at: string }) => entry.at,
      );
    expect(await times('')).toEqual([at(3), at(2), at(1)]);
    expect(await times(`?before=${at(3)}`)).toEqual([at(2), at(1)]);
    expect(await times('?limit=1')).toEqual([at(3)]);
    expect(await times('?result=halted')).toEqual([at(2)]);
  });

  test('is complete when it is read page by page, also where entries share their time', async () => {
    const [id, other] = [await addWorkflow(app, me, []), await addWorkflow(app, me, [])];
    for (const minute of [1, 2, 2, 2, 2, 3]) await addEntry(id, minute);
    await addEntry(other, 2);
    await database.sql`update workflow_run set is_logged = false where workflow_id = ${other}`;
    const read = async (query: string): Promise<WorkflowLogEntry[]> =>
      (await call(app, `GET /workflows/${id}/logs?limit=2${query}`, { as: me })).body;
    const pages = [await read('')];
    while (pages.at(-1)!.length > 0) pages.push(await read(`&before=${pages.at(-1)!.at(-1)!.at}`));
    expect(pages.map((page) => page.length)).toEqual([5, 1, 0]);
    expect(pages.flat()).toEqual(await readLog(app, me, id));
  });

  test('stays empty while logging is off', async () => {
    const id = await addWorkflow(app, me, [core('assetFavorite')], { logging: false });
    await tagAssets(app, me, [photo]);
    await runWorkflows(database);
    expect((await call(app, `GET /assets/${photo}`, { as: me })).body.isFavorite).toBe(true);
    await call(app, `PUT /workflows/${id}`, { as: me, body: { logging: true } });
    expect(await readLog(app, me, id)).toEqual([]);
  });

  test('does not name an item that was locked or deleted afterwards', async () => {
    const { id, entry } = await addFailedRun();
    await database.sql`update asset set locked_at = now() where id = ${photo}`;
    const [locked] = await readLog(app, me, id);
    expect(locked!.triggerDataId).toBeUndefined();
    expect(locked!.canRetry).toBe(false);
    expect(JSON.stringify(locked)).not.toContain(photo);
    expect((await retry(id, entry.runId)).status).toBe(400);
    await deleteForGood(database, [photo]);
    expect(await readLog(app, me, id)).toHaveLength(1);
    expect((await retry(id, entry.runId)).status).toBe(400);
  });

  test('LM-022, LM-023, ID-005: limits and dates at and beyond their bounds', async () => {
    const id = await addWorkflow(app, me, []);
    const ask = (query: string) => call(app, `GET /workflows/${id}/logs?${query}`, { as: me });
    for (const query of ['limit=1', 'limit=200']) expect((await ask(query)).status).toBe(200);
    for (const query of [
      'limit=0',
      'limit=201',
      'before=yesterday',
      'before=2024-02-30T00:00:00Z',
      'before=2024-01-01T00:00:00',
    ]) {
      const { status, body } = await ask(query);
      expect([query, status]).toEqual([query, 400]);
      expect(body.errors[0].path).toEqual([query.split('=')[0]]);
    }
  });
});

describe('a retry', () => {
  test('ST-101: is the next attempt of the run, for the same item', async () => {
    const { id, entry } = await addFailedRun();
    expect((await retry(id, entry.runId)).status).toBe(204);
    await runWorkflows(database);
    const log = await readLog(app, me, id);
    expect(log).toHaveLength(2);
    expect(log.find(({ attempt }) => attempt === 2)).toMatchObject({
      runId: entry.runId,
      triggerDataId: photo,
      result: 'error',
    });
  });

  test('succeeds when the cause is gone', async () => {
    const { id, entry } = await addFailedRun();
    await call(app, `PUT /workflows/${id}`, { as: me, body: { steps: [core('assetArchive')] } });
    await retry(id, entry.runId);
    await runWorkflows(database);
    expect((await readLog(app, me, id))[0]).toMatchObject({ attempt: 2, result: 'completed' });
    expect((await call(app, `GET /assets/${photo}`, { as: me })).body.visibility).toBe('archive');
  });

  test('ST-102: is refused for a disabled workflow and for a method that is gone', async () => {
    const { id, entry } = await addFailedRun();
    await database.sql`update workflow set steps = '[{"method": "gone#gone", "config": {}, "enabled": true}]'`;
    expect((await readLog(app, me, id))[0]!.canRetry).toBe(false);
    expect((await retry(id, entry.runId)).status).toBe(400);
    await database.sql`update workflow set steps = '[]', is_enabled = false`;
    const { status, body } = await retry(id, entry.runId);
    expect([status, body.code]).toEqual([400, 'invalid_state']);
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toHaveLength(1);
  });

  test('is refused while an attempt is in progress', async () => {
    const { id, entry } = await addFailedRun();
    await retry(id, entry.runId);
    const { status, body } = await retry(id, entry.runId);
    expect([status, body.code]).toEqual([409, 'concurrent_request']);
  });

  test('ID-003: of an unknown run is not found, whatever the version of its id', async () => {
    const { id, entry } = await addFailedRun();
    const other = await addWorkflow(app, me, []);
    for (const runId of [
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      crypto.randomUUID(),
      Bun.randomUUIDv7(),
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]) {
      const { status, body } = await retry(id, runId);
      expect([runId, status, body.code]).toEqual([runId, 404, 'not_found']);
    }
    expect((await retry(other, entry.runId)).status).toBe(404);
    expect((await retry(id, 'x')).status).toBe(400);
  });

  test('is refused to others and to keys without the permission', async () => {
    const { id, entry } = await addFailedRun();
    const stranger = await seed(database).user();
    expect((await retry(id, entry.runId, { as: stranger })).status).toBe(400);
    const reader = await seed(database).user(['workflow.read', 'workflow.logs']);
    expect((await retry(id, entry.runId, { as: reader })).status).toBe(403);
    expect(await readLog(app, me, id)).toHaveLength(1);
  });
});
