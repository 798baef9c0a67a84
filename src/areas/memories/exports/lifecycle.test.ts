import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createArchiveExportTests } from '../../../../test/support/exported-archives.ts';
import { call, NOW, send, testApp } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { handleExportArchive } from './archive.handlers.ts';
import { handleCleanExports } from '../clean.handlers.ts';

const library = createArchiveExportTests();
const { add, complete, create, download, get, listFiles, run, setMemory } = library;
const cancel = (id: string) =>
  call(library.app, `POST /memories/exports/${id}/cancel`, { as: library.me });

describe('cancelling', () => {
  test('ST-013: a queued run is cancelled at once and never starts', async () => {
    const { id } = (await create()).body;
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'cancelled', startedAt: null });
    await run(id);
    expect(await get(id)).toEqual(body);
    expect(listFiles()).toEqual([]);
  });

  test('ST-014: a running run stops at its next asset and leaves no file', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 200; n++) ids.push(await add(`${n}.jpg`, `content ${n}`));
    await setMemory(ids);
    const { id } = (await create()).body;
    const running = run(id);
    while ((await get(id)).processed === 0) await Bun.sleep(1);
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body.status).toBe('cancelling');
    await running;
    const { processed, ...ended } = await get(id);
    expect(ended).toMatchObject({ status: 'cancelled', total: 200, isDownloadable: false });
    expect(processed).toBeLessThan(200);
    expect((await download(id)).status).toBe(404);
    expect(listFiles()).toEqual([]);
  });

  test('ST-015: a completed run is returned as it is and can still be downloaded', async () => {
    const id = await complete();
    const before = await get(id);
    expect((await cancel(id)).body).toEqual(before);
    expect((await download(id)).status).toBe(200);
  });

  test('at the last moment leaves no file', async () => {
    const { id } = (await create()).body;
    const effect = await handleExportArchive(jobCtx(library.database), { operationId: id });
    expect((await cancel(id)).body.status).toBe('cancelling');
    const after = await library.database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
    expect(await get(id)).toMatchObject({ status: 'cancelled', isDownloadable: false });
    expect(listFiles()).toEqual([]);
  });
});

describe('deleting', () => {
  test('ST-016: a running run is gone with its file', async () => {
    const { id } = (await create()).body;
    const effect = await handleExportArchive(jobCtx(library.database), { operationId: id });
    expect(listFiles()).toEqual([`${id}.zip`]);
    expect(
      (await call(library.app, `DELETE /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(204);
    const after = await library.database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
    await run(id);
    expect(
      (await call(library.app, `GET /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(404);
    expect((await download(id)).status).toBe(404);
    expect(listFiles()).toEqual([]);
  });

  test('ST-017: a completed run is gone with its file', async () => {
    const id = await complete();
    expect(
      (await call(library.app, `DELETE /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(204);
    expect(
      (await call(library.app, `GET /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(404);
    expect(listFiles()).toEqual([]);
    expect(
      (await call(library.app, `DELETE /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(404);
  });

  test('a memory takes its exports and their files along', async () => {
    const id = await complete();
    await call(library.app, `DELETE /memories/${library.memory}`, { as: library.me });
    expect(
      (await call(library.app, `GET /memories/exports/${id}`, { as: library.me })).status,
    ).toBe(404);
    expect((await download(id)).status).toBe(404);
    const [job] = await library.database.sql`
      select 1 from job where name = 'memories.cleanExports' and state = 'waiting'`;
    expect(job).toBeDefined();
    await handleCleanExports(jobCtx(library.database), {});
    expect(listFiles()).toEqual([]);
  });
});

test('ST-024: an expired run has no file any more', async () => {
  const id = await complete();
  const later = testApp(library.database, { now: () => new Date(NOW.getTime() + 7 * 86_400_000) });
  const { body } = await call(later, `GET /memories/exports/${id}`, { as: library.me });
  expect(body).toMatchObject({ status: 'expired', isDownloadable: false });
  expect(
    (await send(later, `GET /memories/exports/${id}/download`, { as: library.me })).status,
  ).toBe(404);
  expect(listFiles()).toEqual([]);
});

describe('the hourly job', () => {
  test('expires runs, ends those without a job, and deletes files without a row', async () => {
    const expired = await complete();
    await library.database.sql`update operation set expires_at = now() - interval '30 years'`;
    await setMemory([library.photo]);
    const whole = await complete();
    const lost = (await create({})).body.id;
    await library.database.sql`delete from job`;
    await library.database.sql`update operation set state = 'running' where id = ${lost}`;
    const { paths } = library.database.deps;
    await Bun.write(join(paths.exports, `${crypto.randomUUID()}.zip`), 'x');
    await Bun.write(join(paths.exports, `${whole}.part`), 'x');
    await Bun.write(join(paths.exports, `${lost}.work`, 'segment'), 'x');
    await handleCleanExports(jobCtx(library.database), {});
    expect(listFiles()).toEqual([`${whole}.zip`]);
    expect(await get(expired)).toMatchObject({ status: 'expired' });
    expect(await get(lost)).toMatchObject({
      status: 'failed',
      error: 'The export was interrupted',
    });
    expect((await download(whole)).status).toBe(200);
  });
});
