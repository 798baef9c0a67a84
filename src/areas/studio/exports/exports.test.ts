import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, type Caller, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { openStudio, type Project, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { setDiskReserve } from '../../../media/tool-process.ts';
import { getFilmPath, getWorkFolder } from './files.ts';

let studio: Studio;
let me: TestUser;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user(['all']);
});

const DAY_SECONDS = 86_400;
const second = (numerator: number, denominator = 1) => ({ numerator, denominator });

/** A film of a clip, a second long. */
async function makeProject(name = 'short.mp4', duration = second(1)) {
  const assetId = await studio.add(me, name);
  const project = await studio.makeProject(me, [assetId]);
  const document = { ...project.document, clips: [{ ...project.document.clips[0], duration }] };
  const body = { name: 'Holiday / 2026', document, expectedRevision: 1 };
  const stored = await call(studio.app, `PUT /studio/projects/${project.id}`, { as: me, body });
  return { ...(stored.body as Project), assetId };
}

const order = (projectId: string, over: object = {}, caller: Caller = { as: me }) =>
  call(studio.app, `POST /studio/projects/${projectId}/exports`, {
    ...caller,
    body: { revision: 2, destination: 'download', ...over },
  });
const get = (id: string, caller: Caller = { as: me }) =>
  call(studio.app, `GET /studio/exports/${id}`, caller);
const list = (projectId: string, caller: Caller = { as: me }) =>
  call(studio.app, `GET /studio/projects/${projectId}/exports`, caller);
const remove = (id: string, caller: Caller = { as: me }) =>
  call(studio.app, `DELETE /studio/exports/${id}`, caller);
const download = (id: string, caller: Caller = { as: me }) =>
  send(studio.app, `GET /studio/exports/${id}/file`, caller);
const listFolders = (): string[] => {
  const folder = join(studio.database.deps.paths.studio, 'exports');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const countAssets = async (): Promise<number> => {
  const rows = await studio.database.sql`select from asset where owner_id = ${me.id}`;
  return rows.length;
};

describe('a film', () => {
  test('is made of the current revision, and downloaded in ranges', async () => {
    const project = await makeProject();
    const { status, body } = await order(project.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      projectId: project.id,
      revision: 2,
      destination: 'download',
      width: 320,
      height: 192,
      state: 'queued',
      progress: 0,
      error: null,
      unavailableAssetId: null,
      sizeInBytes: null,
      assetId: null,
      expiresAt: null,
      endedAt: null,
    });
    expect((await order(project.id)).body.id).toBe(body.id);
    expect((await download(body.id)).status).toBe(404);
    await studio.export(body.id);
    const ready = (await get(body.id)).body;
    expect(ready).toMatchObject({ state: 'ready', progress: 1 });
    expect(Date.parse(ready.expiresAt) - Date.parse(ready.endedAt)).toBe(7 * DAY_SECONDS * 1000);
    const reply = await download(body.id);
    expect(reply.headers.get('content-type')).toBe('video/mp4');
    expect(reply.headers.get('content-disposition')).toContain('Holiday - 2026.mp4');
    const bytes = await reply.bytes();
    expect(bytes.length).toBe(ready.sizeInBytes);
    const part = await download(body.id, { as: me, headers: { range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    expect(existsSync(getWorkFolder(studio.database.deps.paths, body.id))).toBe(false);
    expect((await list(project.id)).body).toEqual([ready]);
    // A second run of the job, as after a crash, changes nothing.
    await studio.export(body.id);
    expect((await get(body.id)).body).toEqual(ready);
    expect((await download(body.id)).status).toBe(200);
  });

  test('becomes one item of the library, under the name of the project', async () => {
    const project = await makeProject();
    const before = await countAssets();
    const orderOnce = () => order(project.id, { destination: 'library', height: 96 });
    const orders = await Promise.all([orderOnce(), orderOnce(), orderOnce()]);
    const { id } = orders[0]!.body;
    expect(orders.map(({ body }) => body.id)).toEqual([id, id, id]);
    await studio.export(id);
    await studio.export(id);
    const { body } = await get(id);
    expect(body).toMatchObject({ state: 'ready', width: 160, height: 96, expiresAt: null });
    expect(await countAssets()).toBe(before + 1);
    const item = (await call(studio.app, `GET /assets/${body.assetId}`, { as: me })).body;
    expect(item).toMatchObject({ type: 'VIDEO', originalFileName: 'Holiday - 2026.mp4' });
    expect((await download(id)).status).toBe(404);
    expect(listFolders()).not.toContain(id);
    expect((await remove(id)).status).toBe(204);
    expect(await countAssets()).toBe(before + 1);
  });

  test('of another revision is refused with the current one', async () => {
    const project = await makeProject();
    for (const revision of [1, 3]) {
      const { status, body } = await order(project.id, { revision });
      expect(status).toBe(409);
      expect(body).toMatchObject({ code: 'revision_superseded', currentRevision: 2 });
    }
  });

  test('goes on when a newer revision is stored', async () => {
    const project = await makeProject();
    const { id } = (await order(project.id)).body;
    await studio.storeRevision(me, project);
    await studio.export(id);
    expect((await get(id)).body).toMatchObject({ state: 'ready', revision: 2 });
  });

  test('is refused without clips and titles, and when it is larger than the canvas', async () => {
    const project = await makeProject();
    const { status, body } = await order(project.id, { height: 194 });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('192')]);
    await call(studio.app, `PUT /studio/projects/${project.id}`, {
      as: me,
      body: { expectedRevision: 2, document: { ...project.document, clips: [] } },
    });
    expect((await order(project.id, { revision: 3 })).status).toBe(409);
  });

  test('is not made when the disk has no space for it', async () => {
    const project = await makeProject();
    const { settings } = studio.database.deps;
    const { id } = (await order(project.id)).body;
    await studio.export(id, { settings: { ...settings, reserveBytes: Number.MAX_SAFE_INTEGER } });
    const full = (await order(project.id)).body.id;
    setDiskReserve(Number.MAX_SAFE_INTEGER);
    await studio.export(full).finally(() => setDiskReserve(settings.reserveBytes));
    const reasons = { [id]: 'disk space', [full]: 'no space left' };
    for (const [one, reason] of Object.entries(reasons)) {
      const { state, error } = (await get(one)).body;
      expect([state, error]).toEqual(['failed', expect.stringContaining(reason)]);
      expect(listFolders()).not.toContain(one);
    }
  });
});

describe('an export belongs to whoever asked for it', () => {
  test('strangers, members of the album, links and keys without permission see nothing', async () => {
    const project = await makeProject();
    const { id } = (await order(project.id)).body;
    await studio.export(id);
    const [stranger, friend] = [
      await seed(studio.database).user(['all']),
      await seed(studio.database).user(['all']),
    ];
    await studio.share(me, friend, project);
    expect((await order(project.id, {}, { as: stranger })).status).toBe(404);
    expect((await list(project.id, { as: stranger })).status).toBe(404);
    expect((await list(project.id, { as: friend })).body).toEqual([]);
    for (const as of [stranger, friend]) {
      expect((await get(id, { as })).status).toBe(404);
      expect((await download(id, { as })).status).toBe(404);
      expect((await remove(id, { as })).status).toBe(404);
    }
    const weak = await seed(studio.database).user(['asset.read']);
    expect((await order(project.id, {}, { as: weak })).status).toBe(403);
    expect((await get(id)).body.state).toBe('ready');
    // The friend may see the project, and not its items.
    const { status, body } = await order(project.id, {}, { as: friend });
    expect([status, body.code]).toEqual([409, 'source_unavailable']);
  });

  test('fails once an item is locked, and is not downloaded any more', async () => {
    const project = await makeProject();
    const [made, waiting] = [
      (await order(project.id)).body.id,
      (await order(project.id, { height: 96 })).body.id,
    ];
    await studio.export(made);
    const { sql } = studio.database;
    await sql`update asset set locked_at = now() where id = ${project.assetId}`;
    expect((await order(project.id, { height: 48 })).status).toBe(409);
    await studio.export(waiting);
    await studio.clean(0);
    for (const id of [made, waiting]) {
      expect((await get(id)).body).toMatchObject({
        state: 'failed',
        error: 'An item of it is not available any more',
        sizeInBytes: null,
      });
      expect(listFolders()).not.toContain(id);
      expect((await download(id)).status).toBe(404);
    }
  });

  test('that was lost while it was made leaves no item', async () => {
    const project = await makeProject();
    const before = await countAssets();
    const { id } = (await order(project.id, { destination: 'library' })).body;
    const { sql, deps } = studio.database;
    let asked = 0;
    const lock = sql`update asset set trashed_at = now() where id = ${project.assetId}`;
    const now = () => {
      // Asked for first when the film is joined.
      asked += 1;
      if (asked === 1) void lock.execute();
      return deps.now();
    };
    await studio.export(id, { now });
    await lock;
    expect((await get(id)).body).toMatchObject({ state: 'failed', assetId: null });
    expect(await countAssets()).toBe(before);
    expect(listFolders()).not.toContain(id);
  });
});

describe('the end of an export', () => {
  const isMaking = (id: string) =>
    until(() => existsSync(getWorkFolder(studio.database.deps.paths, id)));

  test('cancelled while it waits, it is never made', async () => {
    const project = await makeProject();
    const { id } = (await order(project.id)).body;
    expect((await remove(id)).status).toBe(204);
    await studio.export(id);
    expect((await get(id)).body).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
    expect((await remove(id)).status).toBe(204);
    expect((await get(id)).status).toBe(404);
    expect(listFolders()).not.toContain(id);
  });

  test.each(['cancelled', 'deleted with its project', 'locked with an item'])(
    '%s while it is made',
    async (how) => {
      const project = await makeProject('long.mp4', second(20));
      const { id } = (await order(project.id)).body;
      const making = studio.export(id);
      await isMaking(id);
      const { sql } = studio.database;
      if (how === 'cancelled') await remove(id);
      else if (how === 'locked with an item')
        await sql`update asset set locked_at = now() where id = ${project.assetId}`;
      else await call(studio.app, `DELETE /studio/projects/${project.id}`, { as: me });
      await making;
      const { status, body } = await get(id);
      if (how === 'cancelled')
        expect(body).toMatchObject({ state: 'cancelled', sizeInBytes: null });
      else if (how === 'locked with an item')
        expect(body).toMatchObject({ state: 'failed', error: expect.stringContaining('item') });
      else expect(status).toBe(404);
      expect(listFolders()).not.toContain(id);
    },
  );

  test('the job goes on after an interruption, and ends once', async () => {
    const project = await makeProject('short.mp4', second(25));
    const { id } = (await order(project.id, { height: 96 })).body;
    const stopping = new AbortController();
    const interrupted = studio.export(id, { signal: stopping.signal });
    const work = getWorkFolder(studio.database.deps.paths, id);
    const hasPart = () =>
      existsSync(work) &&
      readdirSync(work, { recursive: true }).some((name) => String(name).endsWith('000000.mp4'));
    await until(hasPart);
    stopping.abort(new Error('the server stops'));
    await expect(interrupted).rejects.toThrow();
    expect((await get(id)).body).toMatchObject({ state: 'rendering', sizeInBytes: null });
    expect(existsSync(getFilmPath(studio.database.deps.paths, id))).toBe(false);
    expect((await download(id)).status).toBe(404);
    await studio.export(id);
    expect((await get(id)).body).toMatchObject({ state: 'ready', progress: 1 });
    expect(readdirSync(join(work, '..'))).toEqual(['film.mp4']);
  });

  test('the clean job deletes films after a week, and folders that no export needs', async () => {
    const project = await makeProject();
    const { id } = (await order(project.id)).body;
    await studio.export(id);
    await studio.clean(6 * DAY_SECONDS);
    expect((await download(id)).status).toBe(200);
    const other = (await order(project.id, { height: 96 })).body.id;
    await studio.export(other);
    await studio.database.sql`delete from operation where id = ${other}`;
    await studio.clean(0);
    expect(listFolders()).not.toContain(other);
    expect((await download(id)).status).toBe(200);
    await studio.clean(8 * DAY_SECONDS);
    expect((await get(id)).status).toBe(404);
    expect(listFolders()).not.toContain(id);
  });

  test('one whose job is lost fails', async () => {
    const project = await makeProject();
    const { id } = (await order(project.id)).body;
    await studio.clean(0);
    expect((await get(id)).body.state).toBe('queued');
    await studio.database.sql`delete from job where unique_key = ${id}`;
    await studio.clean(0);
    expect((await get(id)).body).toMatchObject({ state: 'failed', error: expect.any(String) });
  });
});
