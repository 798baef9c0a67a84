import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { call, seed, type TestDatabase } from '../../../test/support/harness.ts';
import { type Household, openHousehold } from '../../../test/support/household.ts';
import { addFile, jobCtx } from '../../../test/support/processing.ts';
import type { App } from '../../app.ts';
import { handlePickFrames } from './frames/pick.handlers.ts';

setDefaultTimeout(300_000);

let database: TestDatabase;
let app: App;
let house: Household;
let folder: string;
beforeAll(async () => {
  ({ database, app, house } = await openHousehold());
  folder = await mkdtemp(join(tmpdir(), 'safelight-refresh-'));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function addFilm(): Promise<string> {
  const source = ['-f', 'lavfi', '-t', '2', '-i', 'testsrc=size=320x180:rate=10'];
  const path = makeClip(join(folder, 'film.mp4'), [...source, '-pix_fmt', 'yuv420p']);
  return addFile(database, path, { ownerId: house.owner.id, durationMs: 2000 });
}

/** Runs the jobs that wait for frames; answers how they were to be done. */
async function pickAll(): Promise<unknown[]> {
  const jobs = await database.sql`
    delete from job where name = 'enrichment.pickFrames' returning payload`;
  for (const { payload } of jobs) {
    const effect = await handlePickFrames(jobCtx(database), payload);
    const after = effect && (await database.db.transaction((tx) => effect(tx)));
    await after?.();
  }
  return jobs.map(({ payload }) => payload);
}

test('refreshes generated moments and keeps manual ones', async () => {
  const id = await addFilm();
  const refresh = () =>
    call(app, `POST /enrichment/videos/${id}/refresh` as 'POST /', { as: house.owner });
  const read = async () =>
    (await call(app, `GET /enrichment/videos/${id}/moments`, { as: house.owner })).body;
  expect((await refresh()).status).toBe(204);
  expect(await pickAll()).toEqual([{ assetId: id, force: true }]);
  const body = { startMs: 500, title: 'Here' };
  await call(app, `POST /enrichment/videos/${id}/moments`, { as: house.owner, body });
  const before = await read();
  expect(before.frames.length).toBeGreaterThan(0);
  expect([await refresh(), await refresh()].map(({ status }) => status)).toEqual([204, 204]);
  expect(await read()).toMatchObject({ status: 'processing', frames: before.frames });
  // Asked twice, done once.
  expect(await pickAll()).toHaveLength(1);
  const after = await read();
  expect(after.frames.map(({ timeMs }: { timeMs: number }) => timeMs)).toEqual(
    before.frames.map(({ timeMs }: { timeMs: number }) => timeMs),
  );
  expect(after.frames[0].id).not.toBe(before.frames[0].id);
  expect(after.moments).toMatchObject([{ kind: 'manual', title: 'Here' }]);
});

test('is allowed to the owner with the permission only', async () => {
  const { ids, owner, viewer, member, stranger } = house;
  const ask = async (id: string, caller: object, query = '') =>
    (await call(app, `POST /enrichment/videos/${id}/refresh${query}` as 'POST /', caller)).status;
  for (const as of [viewer, member, stranger]) expect(await ask(ids.video, { as })).toBe(404);
  expect(await ask(crypto.randomUUID(), { as: owner })).toBe(404);
  expect(await ask(ids.locked, { as: owner })).toBe(404);
  expect(await ask(ids.plain, { as: owner })).toBe(400);
  expect(await ask(ids.video, {})).toBe(401);
  expect(await ask(ids.video, {}, '?slug=assets')).toBe(403);
  const reader = await seed(database).user(['asset.read']);
  expect(await ask(ids.video, { as: reader })).toBe(403);
  expect(await pickAll()).toEqual([]);
});
