import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { clip } from '../../../../test/fixtures/index.ts';
import { configWith } from '../../../../test/support/config.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  type TestUser,
} from '../../../../test/support/harness.ts';
import {
  addFile,
  derivedPath,
  drainLane,
  openMediaLibrary,
} from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { probe } from '../../../media/probe.ts';
import { DEFAULTS } from '../../system-config/index.ts';
import { renderVideo, transcodeVideo } from '../jobs.ts';
import { handleRenderVideo, handleTranscodeVideo } from './thumbnails.handlers.ts';
import { readVideoSettings } from './video-settings.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let folder: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(() => close());
beforeEach(async () => {
  await database.sql`truncate job`;
  await configure({});
});

const configure = (ffmpeg: Partial<typeof DEFAULTS.ffmpeg>) =>
  call(app, 'PUT /system-config', { as: admin, body: configWith({ ffmpeg }) });
const drain = () =>
  drainLane(database, 'video', {
    'assets.renderVideo': handleRenderVideo,
    'assets.transcodeVideo': handleTranscodeVideo,
    'enrichment.pickFrames': async () => {},
  } as unknown as HandlersByLane<'video'>);

async function addVideo(name: string, ...coding: string[]): Promise<string> {
  const { id: ownerId } = await seed(database).user();
  const id = await addFile(database, clip(join(folder, name), ...coding), { ownerId });
  await enqueue(database.db, renderVideo, { assetId: id });
  await drain();
  return id;
}
async function findTranscode(id: string) {
  const [row] = await database.sql`
    select name from asset_file where asset_id = ${id} and kind = 'encoded_video'`;
  return row && derivedPath(database, row['name'] as string);
}

test('videos are transcoded as configured, and no longer when that is switched off', async () => {
  await configure({
    targetVideoCodec: 'vp9',
    targetResolution: '144',
    crf: 50,
    preset: 'superfast',
  });
  const id = await addVideo('a.avi', '-c:v', 'mjpeg');
  const path = (await findTranscode(id))!;
  expect((await probe(path)).video).toMatchObject({ codec: 'vp9', height: 144 });

  await configure({ transcode: 'disabled' });
  expect(await findTranscode(await addVideo('b.avi', '-c:v', 'mpeg4'))).toBeUndefined();
  await enqueue(database.db, transcodeVideo, { assetId: id });
  await drain();
  expect([await findTranscode(id), existsSync(path)]).toEqual([undefined, false]);
});

test('an accepted codec is played as it is, and all videos can be transcoded', async () => {
  const hevc = ['-c:v', 'libx265', '-pix_fmt', 'yuv420p', '-x265-params', 'log-level=error'];
  await configure({ acceptedVideoCodecs: ['h264', 'hevc'] });
  expect(await findTranscode(await addVideo('a.mp4', ...hevc))).toBeUndefined();
  await configure({ transcode: 'all' });
  const fine = await addVideo('b.mp4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
  expect(await findTranscode(fine)).toBeString();
});

test("Immich's defaults leave our own choice, other values are taken", async () => {
  expect(await readVideoSettings(database.db)).toMatchObject({
    preset: 'veryfast',
    maxShortSide: 1080,
    acceleration: 'auto',
    bFrames: undefined,
  });
  const maxBitrates = { '0': undefined, '4500': 4_500_000, '800k': 800_000, '4.5M': 4_500_000 };
  for (const [maxBitrate, bits] of Object.entries(maxBitrates)) {
    await configure({ maxBitrate });
    expect((await readVideoSettings(database.db)).maxBitrate).toBe(bits);
  }
  await configure({
    preset: 'slow',
    threads: 2,
    targetResolution: 'original',
    targetAudioCodec: 'opus',
    bframes: 0,
    refs: 3,
    gopSize: 50,
    accel: 'nvenc',
    tonemap: 'mobius',
    twoPass: true,
  });
  expect(await readVideoSettings(database.db)).toMatchObject({
    preset: 'slow',
    threads: 2,
    maxShortSide: Infinity,
    audioCodec: 'opus',
    bFrames: 0,
    references: 3,
    keyFrameInterval: 50,
    acceleration: 'nvenc',
    tonemap: 'mobius',
    isTwoPass: true,
  });
});

test.each([
  ['maxBitrate', 'much'],
  ['maxBitrate', '10 Mbit'],
  ['maxBitrate', '-5'],
  ['preset', 'placebo'],
  ['targetResolution', '4K'],
  ['targetResolution', '20'],
] as const)('ffmpeg.%s of %p is refused', async (member, value) => {
  const { status, body } = await configure({ [member]: value });
  expect([status, body.errors[0].path.join('.')]).toEqual([400, `ffmpeg.${member}`]);
  expect((await database.sql`select from system_config where section = 'ffmpeg'`).length).toBe(0);
});
