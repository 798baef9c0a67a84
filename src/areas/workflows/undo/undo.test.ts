import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  addFailingWorkflow,
  addWorkflow,
  core,
  createBackfillRunner,
  own,
} from '../../../../test/support/workflows.ts';
import { handleSweepRuns } from '../runs/run.handlers.ts';

const { database, app } = await useApp();
const { sql } = database;
const { runJob, runAll } = createBackfillRunner(database);
let me: TestUser;
beforeEach(async () => {
  await sql`truncate job, workflow_change`;
  me = await seed(database).user();
});

const NAMED = [
  core('assetFavorite'),
  core('assetArchive'),
  own('rate', { rating: 4 }),
  own('describe', { description: 'A scan' }),
  own('addNamedTags', { tags: ['Paper'] }),
  own('addToNamedAlbum', { name: 'Papers' }),
];
/** The changes of an item with nothing. */
const ALL = NAMED.length;

const add = (over: object = {}) => seed(database).asset({ ownerId: me.id, ...over });
const send = async (route: string, body?: object, as = me) => {
  const reply = await call(app, route as 'PUT /assets', { as, body: body as never });
  expect([route, reply.status < 300, reply.body]).toEqual([route, true, reply.body]);
  return reply.body;
};
const path = (id: string, runId = ''): `/${string}` =>
  `/workflows/${id}/backfills${runId && `/${runId}`}`;
const readLatest = async (id: string) => (await call(app, `GET ${path(id)}`, { as: me })).body[0];
const undo = (id: string, runId: string, as = me) =>
  call(app, `POST ${path(id, runId)}/undo` as 'POST /', { as });
const getTag = async (): Promise<string> =>
  (await send('PUT /tags', { tags: ['Paper'] }))[0].id as string;
const getAlbum = async (): Promise<string> =>
  (await call(app, 'GET /albums', { as: me })).body[0].id as string;

/** Runs a workflow for what is there, and returns the ids of both. */
async function run(steps: readonly object[] = NAMED) {
  const id = await addWorkflow(app, me, steps);
  const { id: runId } = await send(`POST ${path(id)}`);
  await runAll();
  return { id, runId: runId as string };
}

/** Undoes a run and returns how it went. */
async function runUndo({ id, runId }: { id: string; runId: string }) {
  expect((await undo(id, runId)).status).toBe(200);
  await runAll();
  return (await readLatest(id)).undo;
}

async function read(id: string) {
  const [row] = await sql`
    select is_favorite as favorite, visibility, exif.rating, exif.description, exif.edited_fields as edited,
      (select count(*)::int from tag_asset where asset_id = asset.id) as tags,
      (select count(*)::int from album_asset where asset_id = asset.id) as albums
    from asset left join asset_exif exif on exif.asset_id = asset.id where id = ${id}`;
  return { ...row };
}

const BARE = {
  favorite: false,
  visibility: 'timeline',
  rating: null,
  description: '',
  edited: [],
  tags: 0,
  albums: 0,
};

describe('the undo of a run', () => {
  test('takes back all that the run has changed, and nothing else', async () => {
    const bare = await add();
    const rich = await add();
    await send(`PUT /assets/${rich}`, { isFavorite: true, rating: 2, description: 'Mine' });
    await send(`PUT /tags/${await getTag()}/assets`, { ids: [rich] });
    await send('POST /albums', { albumName: 'Papers', assetIds: [rich] });
    const before = await read(rich);
    const ids = await run();
    expect(await read(bare)).toMatchObject({ favorite: true, rating: 4, tags: 1, albums: 1 });
    expect(await readLatest(ids.id)).toMatchObject({ canUndo: true, undo: null });
    expect(await runUndo(ids)).toEqual({
      status: 'completed',
      total: ALL + 2,
      restored: ALL + 2,
      changed: 0,
      unavailable: 0,
    });
    expect(await read(bare)).toEqual(BARE);
    expect(await read(rich)).toEqual(before);
    expect((await readLatest(ids.id)).canUndo).toBe(false);
  });

  const byHand: [name: string, change: (id: string) => Promise<unknown>, kept: object][] = [
    ['no favourite', (id) => send(`PUT /assets/${id}`, { isFavorite: false }), {}],
    ['on the timeline', (id) => send(`PUT /assets/${id}`, { visibility: 'timeline' }), {}],
    ['rated', (id) => send(`PUT /assets/${id}`, { rating: 1 }), { rating: 1, edited: ['rating'] }],
    [
      'described',
      (id) => send(`PUT /assets/${id}`, { description: 'x' }),
      { description: 'x', edited: ['description'] },
    ],
    ['untagged', async (id) => send(`DELETE /tags/${await getTag()}/assets`, { ids: [id] }), {}],
    [
      'removed from the album and added to it',
      async (id) => {
        const albumId = await getAlbum();
        await send(`DELETE /albums/${albumId}/assets`, { ids: [id] });
        await send(`PUT /albums/${albumId}/assets`, { ids: [id] });
      },
      { albums: 1 },
    ],
  ];
  test.each(byHand)('leaves what somebody has made %s since', async (_name, change, kept) => {
    const id = await add();
    const ids = await run();
    await change(id);
    expect(await runUndo(ids)).toMatchObject({ restored: ALL - 1, changed: 1, unavailable: 0 });
    expect(await read(id)).toEqual({ ...BARE, ...kept });
  });

  const gone: [name: string, change: (id: string, other: TestUser) => Promise<unknown>][] = [
    ['in the trash', (id) => send('DELETE /assets', { ids: [id] })],
    ['locked', (id) => send(`PUT /assets/${id}`, { visibility: 'locked' })],
    [
      "somebody else's",
      (id, { id: other }) => sql`
      update asset set owner_id = ${other} where id = ${id}`,
    ],
  ];
  test.each(gone)('leaves an item that is %s', async (_name, change) => {
    const [id, other] = [await add(), await add()];
    const ids = await run();
    await change(id, await seed(database).user());
    const before = await read(id);
    expect(await runUndo(ids)).toMatchObject({ restored: ALL, changed: 0, unavailable: ALL });
    expect(await read(id)).toEqual(before);
    expect(await read(other)).toEqual(BARE);
  });

  test('counts the changes of an item that was deleted', async () => {
    const [id] = [await add(), await add()];
    const ids = await run([core('assetFavorite')]);
    expect((await undo(ids.id, ids.runId)).status).toBe(200);
    await send('DELETE /assets', { ids: [id], force: true });
    await sql`delete from asset where id = ${id}`;
    await runAll();
    expect((await readLatest(ids.id)).undo).toMatchObject({ restored: 1, unavailable: 1 });
  });

  test('leaves an album in which the account is no editor any more', async () => {
    const host = await seed(database).user();
    const album = await send('POST /albums', { albumName: 'Ours' }, host);
    const members = { albumUsers: [{ userId: me.id, role: 'editor' }] };
    await send(`PUT /albums/${album.id}/users`, members, host);
    const id = await add();
    const ids = await run([core('assetAddToAlbums', { albumIds: [album.id] })]);
    await send(`PUT /albums/${album.id}/user/${me.id}`, { role: 'viewer' }, host);
    expect(await runUndo(ids)).toMatchObject({ restored: 0, unavailable: 1 });
    expect(await read(id)).toMatchObject({ albums: 1 });
  });

  test('also takes back the steps before one that failed', async () => {
    const id = await add();
    const workflow = await addFailingWorkflow(app, me, [core('assetFavorite')]);
    const { id: runId } = await send(`POST ${path(workflow)}`);
    await runAll();
    expect(await read(id)).toMatchObject({ favorite: true });
    expect(await runUndo({ id: workflow, runId })).toMatchObject({ total: 1, restored: 1 });
    expect(await read(id)).toMatchObject({ favorite: false });
  });

  test('concerns the run only, not what the workflow did for events', async () => {
    const [old, tagged] = [await add(), await add()];
    const ids = await run([core('assetFavorite')]);
    await send(`PUT /assets/${tagged}`, { isFavorite: false });
    await send(`PUT /tags/${await getTag()}/assets`, { ids: [tagged] });
    await sql`update job set name = 'workflows.advanceBackfilled' where name = 'workflows.advance'`;
    await runAll();
    expect(await read(tagged)).toMatchObject({ favorite: true });
    await send(`PUT /assets/${tagged}`, { isFavorite: false });
    expect(await runUndo(ids)).toMatchObject({ total: 2, restored: 1, changed: 1 });
    expect(await read(old)).toMatchObject({ favorite: false });
  });
});

describe('an undo', () => {
  test('that is asked for twice at once is one', async () => {
    const id = await add();
    const ids = await run();
    const [one, other] = await Promise.all([undo(ids.id, ids.runId), undo(ids.id, ids.runId)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    await runAll();
    expect((await undo(ids.id, ids.runId)).body.undo).toMatchObject({ restored: ALL, total: ALL });
    const rows =
      await sql`select from operation where kind = 'workflow-undo' and account_id = ${me.id}`;
    expect(rows).toHaveLength(1);
    expect(await read(id)).toEqual(BARE);
  });

  test('belongs to the owner, and needs the permissions of what it does', async () => {
    const id = await add();
    const ids = await run();
    const stranger = await seed(database).user();
    expect((await undo(ids.id, ids.runId, stranger)).status).toBe(400);
    const theirs = await addWorkflow(app, stranger, NAMED);
    expect((await undo(theirs, ids.runId, stranger)).status).toBe(404);
    const all = ['workflow.update', 'asset.update', 'tag.asset', 'albumAsset.delete'];
    for (const missing of all) {
      const permissions = all.filter((one) => one !== missing);
      const { secret } = await send('POST /api-keys', { name: 'k', permissions });
      const reply = await call(app, `POST ${path(ids.id, ids.runId)}/undo` as 'POST /', {
        headers: { 'x-api-key': secret },
      });
      expect([missing, reply.status]).toEqual([missing, 403]);
    }
    expect((await call(app, `POST ${path(ids.id, ids.runId)}/undo` as 'POST /', {})).status).toBe(
      401,
    );
    expect(await read(id)).toMatchObject({ favorite: true });
  });

  test('is refused before the run has ended, and when it has changed nothing', async () => {
    await add();
    const id = await addWorkflow(app, me, [core('assetFavorite')]);
    const { id: runId } = await send(`POST ${path(id)}`);
    expect(await undo(id, runId)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    await runJob('backfill');
    expect((await undo(id, runId)).status).toBe(409);
    await runAll();
    expect((await undo(id, runId)).status).toBe(200);
    await runAll();
    const { id: second } = await send(`POST ${path(id)}`);
    await send(`PUT ${path(id, second)}`, { status: 'cancelled' });
    await runAll();
    expect(await undo(id, second)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('ends what waits for recognition', async () => {
    const [, unseen] = [await add(), await add()];
    const id = await addWorkflow(app, me, [core('assetFavorite')]);
    const { id: runId } = await send(`POST ${path(id)}`);
    await runJob('backfill');
    await sql`
      update workflow_run set waits_for = 'text', next_step = 0
      where asset_id = ${unseen} and backfill_id = ${runId}`;
    await sql`delete from job where payload ->> 'assetId' = ${unseen}`;
    await sql`update job_run set items = 1 where id = ${runId}`;
    await runAll();
    expect(await runUndo({ id, runId })).toMatchObject({ total: 1, restored: 1 });
    expect(await sql`select from workflow_run where asset_id = ${unseen}`).toHaveLength(0);
  });

  test('that failed goes on when it is asked for again', async () => {
    const id = await add();
    const ids = await run();
    await undo(ids.id, ids.runId);
    await sql`delete from job where name = 'workflows.undoBackfill'`;
    await sql`update operation set state = 'failed', error = 'x' where account_id = ${me.id}`;
    expect(await runUndo(ids)).toMatchObject({ status: 'completed', restored: ALL });
    expect(await read(id)).toEqual(BARE);
  });

  test('is there for the latest twenty runs of an account', async () => {
    await add();
    const { id, runId } = await run([core('assetFavorite')]);
    const other = await addWorkflow(app, me, [core('assetFavorite')]);
    const startOther = async () => {
      await send(`POST ${path(other)}`);
      await runAll();
    };
    for (let n = 1; n < 20; n++) await startOther();
    expect((await readLatest(id)).canUndo).toBe(true);
    await startOther();
    expect((await readLatest(id)).canUndo).toBe(false);
    expect((await undo(id, runId)).status).toBe(409);
    const count = () => sql`select from workflow_change where backfill_id = ${runId}`;
    expect(await count()).toHaveLength(1);
    await handleSweepRuns(jobCtx(database), {});
    expect(await count()).toHaveLength(0);
    await call(app, `DELETE /workflows/${other}`, { as: me });
    await handleSweepRuns(jobCtx(database), {});
    expect(await sql`select from workflow_change`).toHaveLength(0);
  });
});
