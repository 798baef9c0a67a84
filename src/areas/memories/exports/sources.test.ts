import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createArchiveExportTests } from '../../../../test/support/exported-archives.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addLink, unlock } from '../../../../test/support/household.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { handleCleanExports } from '../clean.handlers.ts';

const library = createArchiveExportTests();
const { add, complete, create, download, get, listFiles, run, setMemory } = library;
let stranger: TestUser;
beforeAll(async () => {
  stranger = await seed(library.database).user(['all'], { isAdmin: true });
});
beforeEach(() => unlock(library.database, library.me));

const REASON = 'An item of it is not available any more';

const change = async (route: `POST /${string}` | `DELETE /${string}`, id: string, body = {}) => {
  const reply = await call(library.app, route, {
    session: library.me,
    body: { ids: [id], ...body },
  });
  expect(reply.status).toBe(204);
};
const WAYS: Readonly<Record<string, (id: string) => Promise<void>>> = {
  locked: (id) => change('POST /assets/lock', id),
  trashed: (id) => change('DELETE /assets', id),
  'deleted for good': (id) => change('DELETE /assets', id, { force: true }),
  'locked by a statement': async (id) => {
    await library.database.sql`update asset set locked_at = now() where id = ${id}`;
  },
};

/** With and without the PIN, by keys, by a link, and by others. */
const listCallers = (): Caller[] => [
  { as: library.me },
  { session: library.me },
  { as: stranger },
  { session: stranger },
];
const listStatuses = async (id: string): Promise<number[]> => {
  const statuses: number[] = [];
  for (const caller of listCallers()) statuses.push((await download(id, caller)).status);
  return statuses;
};
const clean = () => handleCleanExports(jobCtx(library.database), {});
const listNotices = async (exportId: string) => {
  const rows = await library.database.sql`
    select data ->> 'kind' as kind from notification where data ->> 'exportId' = ${exportId}`;
  return rows.map(({ kind }) => kind);
};

describe('a finished archive', () => {
  test.each(Object.keys(WAYS))('is gone for good once an item of it is %s', async (way) => {
    const id = await complete();
    const other = await add('other.jpg', 'other');
    await setMemory([other]);
    const whole = await complete();
    expect(await listStatuses(id)).toEqual([200, 200, 404, 404]);
    expect(await listNotices(id)).toEqual(['exportReady']);
    await WAYS[way]!(library.photo);
    expect(await listStatuses(id)).toEqual([404, 404, 404, 404]);
    expect(await get(id)).toMatchObject({
      status: 'expired',
      error: REASON,
      fileName: null,
      isDownloadable: false,
      canSaveToLibrary: false,
    });
    expect(await listNotices(id)).toEqual([]);
    await clean();
    expect(listFiles()).toEqual([`${whole}.zip`]);
    await library.database.sql`
      update asset set locked_at = null, trashed_at = null where id = ${library.photo}`;
    expect(await listStatuses(id)).toEqual([404, 404, 404, 404]);
    expect(await listStatuses(whole)).toEqual([200, 200, 404, 404]);
    expect(await listNotices(whole)).toEqual(['exportReady']);
  });

  test('goes with the video of a live photo', async () => {
    const video = await add('a.mov', 'moving', { visibility: 'hidden', type: 'VIDEO' });
    await setMemory([await add('live.heic', 'still', { liveVideoId: video })]);
    const id = await complete();
    await library.database.sql`update asset set trashed_at = now() where id = ${video}`;
    expect(await listStatuses(id)).toEqual([404, 404, 404, 404]);
  });

  test('stays when an item is archived, or taken out of the memory', async () => {
    const id = await complete();
    await library.database.sql`update asset set visibility = 'archive' where id = ${library.photo}`;
    const removed = await call(library.app, `DELETE /memories/${library.memory}/assets`, {
      as: library.me,
      body: { ids: [library.photo] },
    });
    expect(removed.body).toMatchObject([{ success: true }]);
    await clean();
    expect(await listStatuses(id)).toEqual([200, 200, 404, 404]);
    expect(listFiles()).toEqual([`${id}.zip`]);
  });

  test('is not served by a link', async () => {
    const id = await complete();
    const slug = crypto.randomUUID();
    await addLink(library.database, { ownerId: library.me.id, slug }, [library.photo]);
    const reply = await call(library.app, `GET /memories/exports/${id}/download?slug=${slug}`);
    expect([401, 403]).toContain(reply.status);
  });

  // As when an item is locked in a transaction that began before the archive was made.
  test.each(['when it is asked for', 'by the hourly job'])('is found %s', async (how) => {
    const [id, { sql }] = [await complete(), library.database];
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update asset set locked_at = now() where id = ${library.photo}`;
    });
    if (how === 'by the hourly job') await clean();
    else expect(await listStatuses(id)).toEqual([404, 404, 404, 404]);
    expect(listFiles()).toEqual([]);
    expect(await get(id)).toMatchObject({ status: 'expired', error: REASON });
  });

  test('lets the job that deletes files start at once', async () => {
    await complete();
    const { sql } = library.database;
    await sql`
      insert into schedule (name, next_at) values ('memories.cleanExports', now() + interval '1 hour')`;
    const isDue = async () => (await sql`select from schedule where next_at <= now()`).length === 1;
    await sql`update asset set is_favorite = true where id = ${library.photo}`;
    expect(await isDue()).toBe(false);
    await WAYS['locked']!(library.photo);
    expect(await isDue()).toBe(true);
  });
});

describe('an archive that is made', () => {
  test('ends with a reason and without files once an item of it is locked', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 200; n++) ids.push(await add(`${n}.jpg`, `content ${n}`));
    await setMemory(ids);
    const { id } = (await create()).body;
    const running = run(id);
    while ((await get(id)).processed === 0) await Bun.sleep(1);
    await WAYS['locked']!(ids[0]!);
    await running;
    expect(await get(id)).toMatchObject({ status: 'failed', error: REASON, fileName: null });
    expect(await listStatuses(id)).toEqual([404, 404, 404, 404]);
    expect(listFiles()).toEqual([]);
  });

  test('has no items that were locked while it waited', async () => {
    const { id } = (await create()).body;
    await WAYS['locked']!(library.photo);
    await run(id);
    expect(await get(id)).toMatchObject({ status: 'completed', processed: 1 });
    expect(await (await download(id)).text()).not.toContain('first');
  });
});
