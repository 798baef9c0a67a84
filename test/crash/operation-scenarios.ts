import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'bun:test';
import { limits } from '../../src/areas/trash/moves/operation.domain.ts';
import { makeClip } from '../fixtures/clips.ts';
import { addWithPreview } from '../support/exported-films.ts';
import { startFakeImmich } from '../support/fake-immich.ts';
import { call, seed, testApp, type TestUser } from '../support/harness.ts';
import { addManyAssets } from '../support/many-assets.ts';
import { addMemory } from '../support/memories.ts';
import { createDeduplication, toDecisions } from '../support/physical-deduplication.ts';
import { addFile } from '../support/processing.ts';
import type { Studio } from '../support/studio.ts';
import { startWorkflowUndo } from './workflow-undo.ts';

/** An operation that waits for its job. */
export type Started = {
  readonly me: TestUser;
  readonly id: string;
  /** Whether it tells its account of its end. */
  readonly isNotified?: true;
  /** Returns the answer of the server about it. */
  readonly read: () => Promise<{ readonly status: string; readonly error?: string | null }>;
  /** Checks that all was done, and once. */
  readonly check: () => Promise<void>;
};
export type Scenario = {
  /** The state in which it ends; undefined: its row is gone then. */
  readonly end: string | undefined;
  readonly start: () => Promise<Started>;
};

/** Items of three batches. */
const COUNT = 1001;

/** Returns operations of all kinds by name. `runUntil` works on them up to a point of the child. */
export async function createScenarios(
  studio: Studio,
  runUntil: (point?: number) => Promise<void>,
): Promise<Readonly<Record<string, Scenario>>> {
  const { database, folder } = studio;
  const { sql, deps } = database;
  const app = testApp(database, { now: () => new Date() });
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const plans = createDeduplication(database, app, admin);
  await plans.configure('quarantine');
  limits.immediateItems = COUNT - 1;
  const picture = join(folder, 'a.jpg');
  makeClip(picture, ['-f', 'lavfi', '-i', 'testsrc2=s=600x400', '-frames:v', '1']);

  const addUser = () => seed(database).user(['all']);
  const countRevisions = async ({ id }: TestUser) => {
    const [row] = await sql`
      select min(state_revision)::int as least, max(state_revision)::int as most,
        count(*)::int as count from asset where owner_id = ${id}`;
    return { ...row };
  };
  const reader = (me: TestUser, path: string) => async () => {
    const { body } = await call(app, `GET ${path}` as 'GET /', { as: me });
    return { ...body, status: body.status ?? body.state };
  };

  async function startArchive(): Promise<Started> {
    const me = await addUser();
    await addManyAssets(database, me.id, COUNT);
    const { body } = await call(app, 'POST /archive-operations/prepare', { as: me, body: {} });
    const path = `/archive-operations/${body.id}` as const;
    const confirmation = { as: me, body: { expectedCount: COUNT } };
    expect((await call(app, `POST ${path}/confirm`, confirmation)).status).toBe(200);
    const read = reader(me, path);
    return {
      me,
      id: body.id,
      read,
      async check() {
        expect(await read()).toMatchObject({ archived: COUNT, skipped: 0 });
        expect(await countRevisions(me)).toEqual({ least: 1, most: 1, count: COUNT });
      },
    };
  }

  /** Undoes an archive operation that has come to a point. */
  async function startUndo(point?: number): Promise<Started> {
    const started = await startArchive();
    await runUntil(point);
    const { me, id, read } = started;
    await call(app, `POST /archive-operations/${id}/undo`, { as: me, body: {} });
    const { status } = await read();
    expect(status).toBe(point === undefined ? 'undoing' : 'stopping');
    return {
      ...started,
      async check() {
        const { archived, restored } = (await read()) as Record<string, unknown>;
        expect(restored).toBe(archived);
        const moved = sql`select from asset where owner_id = ${me.id} and state_revision = 2`;
        expect(await moved).toHaveLength(restored as number);
        const others = sql`select from asset where owner_id = ${me.id} and state_revision = 0`;
        expect(await others).toHaveLength(COUNT - (restored as number));
      },
    };
  }

  async function startMove(route: 'restore' | 'empty'): Promise<Started> {
    const me = await addUser();
    await addManyAssets(database, me.id, COUNT, { trashedAt: new Date() });
    expect((await call(app, `POST /trash/${route}`, { as: me })).body.count).toBe(COUNT);
    const [row] = await sql`select id from operation where account_id = ${me.id}`;
    const id: string = row!['id'];
    const isRestored = route === 'restore';
    return {
      me,
      id,
      async read() {
        const rows = await sql`select state from operation where id = ${id}`;
        return { status: rows[0]?.['state'] ?? 'gone' };
      },
      async check() {
        const all = isRestored ? { least: 1, most: 1, count: COUNT } : { count: 0 };
        expect(await countRevisions(me)).toMatchObject(all);
      },
    };
  }

  async function startMemoryExport(kind: 'archive' | 'highlight-video'): Promise<Started> {
    const me = await addUser();
    const add = () => addWithPreview(database, { file: picture }, { ownerId: me.id });
    const assets = [await add(), await add()];
    const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, assets);
    const { body } = await call(app, `POST /memories/${memory}/exports`, {
      as: me,
      body: { kind },
    });
    const read = reader(me, `/memories/exports/${body.id}`);
    return {
      me,
      id: body.id,
      isNotified: true,
      read,
      async check() {
        expect(await read()).toMatchObject({ total: 2, processed: 2, skipped: 0 });
        const file = `${body.id}.${kind === 'archive' ? 'zip' : 'mp4'}`;
        expect(listFiles(deps.paths.exports, body.id)).toEqual([file]);
      },
    };
  }

  async function startCancellation(): Promise<Started> {
    const started = await startMemoryExport('archive');
    const { me, id } = started;
    // The first is the start of its job.
    await runUntil(2);
    const { body } = await call(app, `POST /memories/exports/${id}/cancel`, { as: me });
    expect(body.status).toBe('cancelling');
    const check = async () => expect(listFiles(deps.paths.exports, id)).toEqual([]);
    const { isNotified: _, ...rest } = started;
    return { ...rest, check };
  }

  async function startFilm(destination: 'download' | 'library'): Promise<Started> {
    const me = await addUser();
    const project = await studio.makeProject(me, [await studio.add(me, 'short.mp4')], 2);
    const body = { revision: 1, destination, height: 16 };
    const order = await call(app, `POST /studio/projects/${project.id}/exports`, { as: me, body });
    const { id } = order.body;
    const read = reader(me, `/studio/exports/${id}`);
    const isSaved = destination === 'library';
    return {
      me,
      id,
      isNotified: true,
      read,
      async check() {
        expect(await read()).toMatchObject({ progress: 1 });
        const items = await sql`select from asset where owner_id = ${me.id}`;
        expect(items).toHaveLength(isSaved ? 2 : 1);
        const film = join(deps.paths.studio, 'exports', id);
        expect(existsSync(film) ? readdirSync(film) : []).toEqual(isSaved ? [] : ['film.mp4']);
      },
    };
  }

  async function startMoveIn(): Promise<Started> {
    const me = await seed(database).user(['all'], { isAdmin: true });
    const immich = await startFakeImmich({ albums: { Summer: ['a.jpg', 'c.jpg'] } });
    const body = { url: immich.url, key: immich.key };
    const { id } = (await call(app, 'POST /move-ins', { as: me, body })).body;
    expect((await call(app, `POST /move-ins/${id}/start`, { as: me, body: {} })).status).toBe(200);
    const read = async () => {
      const { body } = await call(app, 'GET /move-ins', { as: me });
      return body.find((moveIn: { id: string }) => moveIn.id === id);
    };
    return {
      me,
      id,
      read,
      async check() {
        expect(await read()).toMatchObject({ done: { assets: 3, albums: 1 }, failures: 0 });
        const items = await sql`select from asset where owner_id = ${me.id}`;
        expect(items).toHaveLength(3);
        const added = await sql`
          select from album_asset join album on album.id = album_id where owner_id = ${me.id}`;
        expect(added).toHaveLength(2);
        await immich.stop();
      },
    };
  }

  async function startApply(): Promise<Started> {
    const content = randomBytes(2000).toString('hex');
    await addFile(database, { name: 'up.jpg', bytes: Buffer.from(content) }, { ownerId: admin.id });
    await sql`update original set path = null where missing_at is null`;
    const { user } = await plans.addHousehold({ '1.jpg': content });
    await plans.addHousehold({ '1.jpg': content });
    const plan = await plans.preview();
    const { id: planId, fingerprint } = plan;
    const decisions = toDecisions(plan, 'approve');
    expect((await plans.review({ planId, fingerprint, decisions })).status).toBe(200);
    expect((await plans.startApply()).status).toBe(204);
    const find = async () =>
      (await plans.read()).applies.find((apply: { planId: string }) => apply.planId === planId);
    return {
      me: user,
      id: (await find()).id,
      read: find,
      async check() {
        const total = decisions.length;
        expect(await find()).toMatchObject({ total, processed: total, failed: 0 });
        const moved = await sql`
          select from deduplication_copy where plan_id = ${planId} and quarantined_at is not null`;
        expect(moved).toHaveLength(total);
      },
    };
  }

  return {
    'an archive operation': { end: 'completed', start: startArchive },
    // Its first batch is committed when the second is about to be.
    'an archive operation that stops': { end: 'undone', start: () => startUndo(3) },
    'the undo of an archive operation': { end: 'undone', start: () => startUndo() },
    'the undo of a workflow': {
      end: 'completed',
      start: () => startWorkflowUndo(studio, app, COUNT),
    },
    'a move from the trash': { end: undefined, start: () => startMove('restore') },
    'a deletion of the trash': { end: undefined, start: () => startMove('empty') },
    'an archive of a memory': { end: 'completed', start: () => startMemoryExport('archive') },
    'an export that is cancelled': { end: 'cancelled', start: startCancellation },
    'a film of a memory': { end: 'completed', start: () => startMemoryExport('highlight-video') },
    'a film of a project': { end: 'ready', start: () => startFilm('download') },
    'a film for the library': { end: 'ready', start: () => startFilm('library') },
    'a move from another server': { end: 'completed', start: startMoveIn },
    'an apply of a deduplication': { end: 'completed', start: startApply },
  };
}

const listFiles = (folder: string, id: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(id)) : [];
