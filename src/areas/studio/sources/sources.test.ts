import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { readNumber } from '../../../../test/support/painted-clips.ts';
import { addFile, jobCtx } from '../../../../test/support/processing.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { handleMakeOverview } from './overview.handlers.ts';

let studio: Studio;
let me: TestUser;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user();
});

const get = (assetId: string, as = me) =>
  call(studio.app, `GET /studio/sources/${assetId}`, { as });
const getStrip = (assetId: string, as = me) =>
  call(studio.app, `GET /studio/sources/${assetId}/strip`, { as });

/** Makes what is asked for. */
async function work(): Promise<number> {
  const rows = await studio.database.sql`
    delete from job where name = 'studio.makeOverview' returning payload`;
  for (const { payload } of rows) await handleMakeOverview(jobCtx(studio.database), payload);
  return rows.length;
}

/** A video of two seconds whose tone is heard in the second one only. */
async function addVideoWithSound(): Promise<string> {
  await studio.add(me, 'short.mp4');
  const path = join(studio.folder, 'tone.mp4');
  const sound = "aevalsrc='0.5*sin(2*PI*440*t)*gte(t,1)':d=2:s=48000";
  const inputs = ['-i', join(studio.folder, 'short.mp4'), '-f', 'lavfi', '-i', sound];
  makeClip(path, [...inputs, ...'-map 0:v -map 1:a -c:v copy -c:a aac'.split(' ')]);
  return addFile(studio.database, path, { ownerId: me.id });
}

test('a video has frames side by side, and the loudness of its sound', async () => {
  const assetId = await addVideoWithSound();
  expect(await get(assetId)).toMatchObject({
    status: 200,
    body: { state: 'preparing', strip: null, waveform: null },
  });
  await get(assetId);
  expect((await getStrip(assetId)).status).toBe(404);
  expect(await work()).toBe(1);
  const { state, strip, waveform } = (await get(assetId)).body;
  expect([state, strip]).toEqual([
    'ready',
    { frames: 4, secondsPerFrame: 0.5, width: 120, height: 72 },
  ]);
  const reply = await getStrip(assetId);
  expect(reply.headers.get('content-type')).toBe('image/jpeg');
  const picture = await Bun.file(getFile(await readHash(assetId))).bytes();
  expect(await sharp(picture).metadata()).toMatchObject({ width: 480, height: 72 });
  const numbers = [0, 1, 2, 3].map(async (at) =>
    readNumber(
      await sharp(picture)
        .extract({ left: at * 120, top: 0, width: 120, height: 72 })
        .png()
        .toBuffer(),
    ),
  );
  expect(await Promise.all(numbers)).toEqual([0, 15, 30, 45]);
  expect(waveform.peaksPerSecond).toBe(20);
  expect(Math.max(...waveform.peaks.slice(0, 18))).toBe(0);
  for (const peak of waveform.peaks.slice(22, 38)) expect(peak).toBeWithin(110, 140);
  expect(await get(assetId)).toMatchObject({ body: { state: 'ready' } });
  expect(await work()).toBe(0);
});

const readHash = async (assetId: string): Promise<string> =>
  (
    await studio.database.sql`select encode(sha256, 'hex') as sha from asset where id = ${assetId}`
  )[0]!['sha'];
const getFile = (sha256: string) =>
  join(studio.database.deps.paths.studio, 'overviews', sha256.slice(0, 2), `${sha256}.jpg`);

test('a video without sound has no waveform, and a broken one neither', async () => {
  const [silent, broken] = [await studio.add(me, 'short.mp4'), await studio.add(me, 'broken.mp4')];
  for (const id of [silent, broken]) await get(id);
  await work();
  expect((await get(silent)).body).toMatchObject({ strip: { frames: 4 }, waveform: null });
  expect((await get(broken)).body).toEqual({ state: 'ready', strip: null, waveform: null });
});

test('nobody gets one of a video that a project of theirs may not use', async () => {
  const assetId = await studio.add(me, 'short.mp4');
  const photo = await seed(studio.database).asset({ ownerId: me.id });
  await get(assetId);
  await work();
  const stranger = await seed(studio.database).user();
  expect((await get(assetId, stranger)).status).toBe(404);
  expect((await getStrip(assetId, stranger)).status).toBe(404);
  expect((await get(photo)).status).toBe(404);
  for (const column of ['locked_at', 'trashed_at']) {
    const { sql } = studio.database;
    await sql`update asset set ${sql(column)} = now() where id = ${assetId}`;
    expect([(await get(assetId)).status, (await getStrip(assetId)).status]).toEqual([404, 404]);
    await sql`update asset set ${sql(column)} = null where id = ${assetId}`;
  }
  expect((await get(assetId)).status).toBe(200);
});

test('what is remembered of a video goes with its last item', async () => {
  const assetId = await studio.add(me, 'short.mp4');
  const other = await seed(studio.database).user();
  await studio.add(other, 'short.mp4');
  await get(assetId);
  await work();
  const sha256 = await readHash(assetId);
  const file = getFile(sha256);
  const { sql } = studio.database;
  await sql`delete from asset where id = ${assetId}`;
  await studio.clean(0);
  expect(existsSync(file)).toBe(true);
  await sql`delete from asset where sha256 = decode(${sha256}, 'hex')`;
  await studio.clean(0);
  expect(existsSync(file)).toBe(false);
});
