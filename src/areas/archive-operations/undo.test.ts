import { describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { useArchiveLibrary } from '../../../test/support/archive-library.ts';
import { effort } from '../../../test/support/effort.ts';
import { addManyAssets } from '../../../test/support/many-assets.ts';
import { call, NOW } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import { runLane } from '../../jobs/run.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { cleanOperations } from '../../../test/support/operations.ts';
import { handleRunArchive } from './handlers.ts';
import { runArchive } from './jobs.ts';
import { processNextBatch } from './run.domain.ts';

const archive = useArchiveLibrary();
const { create, get, post, prepare, several, states, undo, waiting, work } = archive;

describe('undo of an archive operation', () => {
  test('ST-009: stops a running operation and restores what it has archived', async () => {
    await addManyAssets(archive.database, archive.me.id, 1100);
    const { id, total } = await prepare();
    await post(`/${id}/confirm`, { expectedCount: total });
    await archive.database.sql`truncate job`;
    for (let step = 0; step < 2; step++)
      expect(await processNextBatch(archive.database.deps, id)).toBe(true);
    expect((await get(id)).body).toMatchObject({
      status: 'running',
      processed: 1000,
      archived: 1000,
    });
    const reply = await undo(id);
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'stopping', undoRequestedAt: NOW.toISOString(), canUndo: false },
    });
    expect((await undo(id)).body.status).toBe('stopping');
    expect(await processNextBatch(archive.database.deps, id)).toBe(true);
    expect((await get(id)).body).toMatchObject({ status: 'undoing', restored: 500 });
    await work();
    const { body } = await get(id);
    expect(body).toMatchObject({
      status: 'undone',
      archived: 1000,
      restored: 1000,
      kept: 0,
      undoneAt: NOW.toISOString(),
    });
    const [row] = await archive.database.sql`
      select count(*)::int as count from asset
      where owner_id = ${archive.me.id} and visibility = 'archive'`;
    expect(row!['count']).toBe(0);
  });

  test('ST-010: leaves items alone that were changed since', async () => {
    const ids = await several(6);
    const { id } = await create(ids);
    await work();
    const change = (assetId: string, body: object) =>
      call(archive.app, `PUT /assets/${assetId}`, { as: archive.me, body });
    await change(ids[0]!, { isFavorite: true });
    await change(ids[1]!, { visibility: 'timeline' });
    await call(archive.app, 'DELETE /assets', { as: archive.me, body: { ids: [ids[2]] } });
    await change(ids[3]!, { visibility: 'timeline' });
    await change(ids[3]!, { visibility: 'archive' });
    expect((await undo(id)).status).toBe(200);
    await work();
    expect((await get(id)).body).toMatchObject({
      status: 'undone',
      archived: 6,
      restored: 2,
      kept: 4,
    });
    expect(await states(ids)).toBe('ATtATT');
  });

  const send = async (route: string, body: object) => {
    const reply = await call(archive.app, route as 'PUT /assets', { as: archive.me, body });
    expect([route, reply.status < 300]).toEqual([route, true]);
    return reply.body;
  };
  const tag = async (): Promise<string> => (await send('PUT /tags', { tags: ['t'] }))[0].id;
  const edits = [{ action: 'rotate', parameters: { angle: 90 } }];
  const byHand: [name: string, change: (id: string) => Promise<unknown>][] = [
    ['described', (id) => send(`PUT /assets/${id}`, { description: 'x' })],
    ['described in bulk', (id) => send('PUT /assets', { ids: [id], description: 'x' })],
    ['rated', (id) => send(`PUT /assets/${id}`, { rating: 4 })],
    ['dated', (id) => send(`PUT /assets/${id}`, { dateTimeOriginal: '2020-01-01T00:00:00Z' })],
    ['dated by a shift', (id) => send('PUT /assets', { ids: [id], dateTimeRelative: 60 })],
    [
      'moved to another position',
      (id) => send(`PUT /assets/${id}`, { latitude: 38.7, longitude: -9.1 }),
    ],
    ['tagged', async (id) => send(`PUT /tags/${await tag()}/assets`, { ids: [id] })],
    [
      'tagged in bulk',
      async (id) => send('PUT /tags/assets', { tagIds: [await tag()], assetIds: [id] }),
    ],
    ['edited', (id) => send(`PUT /assets/${id}/edits`, { edits })],
  ];
  test.each(byHand)('leaves an item alone that was %s since', async (_name, change) => {
    const ids = await several(2);
    await archive.database.sql`update asset set width = 4, height = 3`;
    const { id } = await create(ids);
    await work();
    await change(ids[0]!);
    await undo(id);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'undone', restored: 1, kept: 1 });
    expect(await states(ids)).toBe('AT');
  });

  test('leaves items alone that lost a tag or their edits since', async () => {
    const ids = await several(3);
    await archive.database.sql`update asset set width = 4, height = 3`;
    const tagId = await tag();
    await send(`PUT /tags/${tagId}/assets`, { ids: [ids[0]] });
    await send(`PUT /assets/${ids[1]}/edits`, { edits });
    const { id } = await create(ids);
    await work();
    await send(`DELETE /tags/${tagId}/assets`, { ids: [ids[0], ids[2]] });
    for (const assetId of [ids[1], ids[2]]) {
      await call(archive.app, `DELETE /assets/${assetId}/edits`, { as: archive.me });
    }
    await undo(id);
    await work();
    expect(await states(ids)).toBe('AAT');
  });

  test('restores items that only background analysis has changed since', async () => {
    const ids = await several(1);
    const { id } = await create(ids);
    await work();
    await archive.database.sql`
      update asset set thumbhash = '\\x01', width = 4, height = 3, metadata_read_at = now(),
        updated_at = now()`;
    await undo(id);
    await work();
    expect((await get(id)).body).toMatchObject({ restored: 1, kept: 0 });
    expect(await states(ids)).toBe('T');
  });

  test('ST-011: a second undo changes nothing', async () => {
    const { id } = await create(await several(2));
    await work();
    await undo(id);
    await work();
    const before = (await get(id)).body;
    expect(before.status).toBe('undone');
    const again = await undo(id, { expectedRevision: 1 });
    expect(again).toMatchObject({ status: 200, body: before });
    expect(await waiting()).toBe(0);
    const confirm = await post(`/${id}/confirm`, { expectedCount: 2 });
    expect(confirm).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('of a prepared or a queued operation changes no item', async () => {
    const ids = await several(2);
    const { id } = await prepare();
    const reply = await undo(id);
    expect(reply).toMatchObject({ status: 200, body: { status: 'undone', expiresAt: null } });
    expect((await post(`/${id}/confirm`, { expectedCount: 2 })).status).toBe(409);
    const queued = await create(ids);
    expect((await undo(queued.id)).body.status).toBe('undoing');
    await work();
    expect((await get(queued.id)).body).toMatchObject({ status: 'undone', archived: 0 });
    expect(await states(ids)).toBe('TT');
  });

  test('returns 409 when expectedRevision is not the current revision', async () => {
    const { id } = await create(await several(1));
    const seen = (await get(id)).body.revision as number;
    await work();
    const current = (await get(id)).body.revision as number;
    expect(current).toBe(seen + 2);
    const reply = await undo(id, { expectedRevision: seen });
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'stale_revision', currentRevision: current },
    });
    expect((await undo(id, { expectedRevision: 0 })).status).toBe(400);
    expect((await undo(id, { expectedRevision: current })).body).toMatchObject({
      status: 'undoing',
      revision: current + 1,
    });
  });
});

test('ST-008: an interrupted operation resumes and processes each item exactly once', async () => {
  const many = effort({ quick: 1100, full: 2500 });
  const ids = await addManyAssets(archive.database, archive.me.id, many);
  const { id } = await create(ids);
  const broken = async () => {
    const work = archive.database.db.transaction(async (tx) => {
      await processNextBatch({ ...archive.database.deps, db: tx }, id);
      throw new Error('the power went');
    });
    await work.catch(() => {});
  };
  let steps = 0;
  do {
    await broken();
    // Told to stop in the midst of a step, which it ends.
    const stop = new AbortController();
    const now = () => {
      stop.abort(new Error('stopping'));
      return new Date();
    };
    const ctx = { ...jobCtx(archive.database, { signal: stop.signal }), now };
    await handleRunArchive(ctx, { operationId: id }).catch(() => {});
    steps += 1;
  } while ((await get(id)).body.status !== 'completed');
  expect(steps).toBeGreaterThan(2);
  expect((await get(id)).body).toMatchObject({ processed: many, archived: many, skipped: 0 });
  const [row] = await archive.database.sql`
    select min(state_revision)::int as least, max(state_revision)::int as most
    from asset where owner_id = ${archive.me.id}`;
  expect({ ...row }).toEqual({ least: 1, most: 1 });
  await undo(id);
  await Promise.all([work(), handleRunArchive(jobCtx(archive.database), { operationId: id })]);
  expect((await get(id)).body).toMatchObject({ status: 'undone', restored: many, kept: 0 });
});

/** Lets the queue run what waits, once. */
async function attempt(timeLimitMs?: number): Promise<void> {
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const lane = runLane({
    deps: archive.database.deps,
    lane: 'background',
    worker: randomUUID(),
    jobs: [{ ...runArchive, ...(timeLimitMs && { timeLimitMs }) }],
    handlers: { 'archiveOperations.run': handleRunArchive },
    concurrency: 1,
    checkMs: 20,
    onIdle: resolve,
  });
  await idle;
  await lane.stop(1000);
}

test('an operation whose last attempt exceeds its time limit is marked as failed', async () => {
  const ids = await several(2);
  const { id } = await create(ids);
  const { sql } = archive.database;
  await sql`update job set failures = ${runArchive.attempts - 1}`;
  // Throttled jobs of a thread take turns: the operation waits for this one.
  const other = { signal: new AbortController().signal, restartTimeLimit() {} };
  const busy = runThrottled(other, async () => {
    await until(async () => (await sql`select from job where state = 'running'`).length === 1);
    await Bun.sleep(1000);
  });
  await attempt(50);
  await busy;
  const { body } = await get(id);
  expect(body).toMatchObject({ status: 'failed', archived: 0, canUndo: true });
  expect(await states(ids)).toBe('TT');
});

test('an operation whose job was lost resumes; a failed one reports the failure and can be undone', async () => {
  const ids = await several(2);
  const { id } = await create(ids);
  await archive.database.sql`truncate job`;
  await cleanOperations(archive.database);
  expect(await waiting()).toBe(1);
  await cleanOperations(archive.database);
  expect(await waiting()).toBe(1);
  await archive.database.sql`
    create function broken() returns trigger language plpgsql as
    $$ begin raise 'disk on fire'; end $$`;
  await archive.database.sql`create trigger broken before update on asset for each row
    execute function broken()`;
  await attempt();
  expect((await get(id)).body).toMatchObject({ status: 'queued', error: null });
  await archive.database.sql`
    update job set run_at = now(), failures = ${runArchive.attempts - 1}`;
  await attempt();
  await archive.database.sql`drop trigger broken on asset`;
  const { body } = await get(id);
  expect(body).toMatchObject({ status: 'failed', processed: 0, canUndo: true });
  expect(body.error).not.toContain('fire');
  await undo(id);
  await work();
  expect((await get(id)).body).toMatchObject({ status: 'undone', archived: 0 });
  expect(await states(ids)).toBe('TT');
});
