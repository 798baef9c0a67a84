import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { colorAt, expectNear, flat, H264, TONE } from '../../../../test/fixtures/index.ts';
import { call, seed, send, testApp, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';
import {
  addFile,
  derivedPath,
  drainLane,
  jobCtx,
  openMediaLibrary,
} from '../../../../test/support/processing.ts';
import { runEffect } from '../../../../test/support/films.ts';
import { getAssetRow, listFileRows } from '../../../../test/support/rows.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { probe } from '../../../media/probe.ts';
import { renderVideo } from '../jobs.ts';
import { handleReadMetadata } from '../exif/exif.handlers.ts';
import type { Asset } from '../schemas.ts';
import { handleRenderVideo, handleTranscodeVideo } from './thumbnails.handlers.ts';

let library: Awaited<ReturnType<typeof openMediaLibrary>>;
let app: App;
let me: TestUser;
let coverPath: string;
const RED = [200, 40, 40] as const;
beforeAll(async () => {
  library = await openMediaLibrary();
  app = testApp(library.database);
  coverPath = join(library.folder, 'cover.jpg');
  await flat(RED, 500, 400).jpeg().toFile(coverPath);
});
afterAll(() => library.close());
beforeEach(async () => {
  me = await seed(library.database).user();
  await library.database.sql`truncate job`;
});

/** A second of sound, coded by these options of ffmpeg. */
const makeSound = (name: string, ...coding: string[]) =>
  makeClip(join(library.folder, name), [...TONE, ...coding]);
const makeCovered = (name: string, ...coding: string[]) =>
  makeClip(
    join(library.folder, name),
    [TONE, '-i', coverPath, '-map', '0', '-map', '1', '-c:v', 'copy', ATTACHED, coding].flat(),
  );
const ATTACHED = ['-disposition:v', 'attached_pic'];

async function process(file: Parameters<typeof addFile>[1]): Promise<string> {
  const id = await addFile(library.database, file, { ownerId: me.id });
  await enqueue(library.database.db, renderVideo, { assetId: id });
  // Nothing else of the lane is enqueued here.
  await drainLane(library.database, 'video', {
    'assets.renderVideo': handleRenderVideo,
    'assets.transcodeVideo': handleTranscodeVideo,
  } as HandlersByLane<'video'>);
  return id;
}

const getAsset = async (id: string): Promise<Asset> =>
  (await call(app, `GET /assets/${id}`, { as: me })).body;
const getRow = (id: string) => getAssetRow(library.database, id);
const listFiles = (id: string) => listFileRows(library.database, id);

describe('the cover of a sound file', () => {
  const made: [string, () => string][] = [
    ['mp3', () => makeCovered('covered.mp3', '-c:a', 'libmp3lame')],
    ['m4a', () => makeCovered('covered.m4a', '-c:a', 'aac')],
    ['flac', () => makeCovered('covered.flac', '-c:a', 'flac')],
  ];
  test.each(made)(
    'is the thumbnail of an %s, and nobody looks for faces in it',
    async (_, make) => {
      const id = await process(make());
      const asset = await getAsset(id);
      expect(asset).toMatchObject({ type: 'AUDIO', width: null, height: null });
      expect(asset.thumbhash).toBeString();
      expect(asset.duration).toBeWithin(950, 1100);
      const response = await send(app, `GET /assets/${id}/thumbnail?size=preview`, { as: me });
      expect(response.status).toBe(200);
      expectNear(await colorAt(new Uint8Array(await response.arrayBuffer())), RED, 8);
      const jobs = await library.database.sql`select name from job`;
      expect([...jobs]).toEqual([]);
    },
  );

  test('is not counted as sound: its duration stays that of the sound', async () => {
    const id = await process(makeCovered('long.mp3', '-c:a', 'libmp3lame', '-q:a', '2'));
    await runEffect(
      library.database,
      handleReadMetadata(jobCtx(library.database), { assetId: id }),
    );
    expect((await getAsset(id)).duration).toBeWithin(950, 1100);
  });

  test('that cannot be decoded counts as none', async () => {
    const bytes = Buffer.from(await Bun.file(makeCovered('torn.mp3')).bytes());
    const at = bytes.indexOf(Buffer.from([0xff, 0xd8, 0xff]));
    bytes.fill(0, at, at + 600);
    const id = await process({ name: 'torn.mp3', bytes });
    expect(await getRow(id)).toMatchObject({ broken_reason: null, thumbhash: null });
    expect(await listFiles(id)).toEqual([]);
  });

  test('that is gone when the file is read again is gone from the disk', async () => {
    const id = await process(makeCovered('again.mp3'));
    const before = await listFiles(id);
    expect(before.map(({ kind }) => kind)).toEqual(['preview', 'thumbnail']);
    const plain = makeSound('plain.mp3', '-c:a', 'libmp3lame');
    const other = await process(plain);
    await library.database.sql`
      update asset set is_copy = true, sha256 = (select sha256 from asset where id = ${other}),
        sha1 = (select sha1 from asset where id = ${other}) where id = ${id}`;
    await enqueue(library.database.db, renderVideo, { assetId: id });
    await drainLane(library.database, 'video', {
      'assets.renderVideo': handleRenderVideo,
    } as HandlersByLane<'video'>);
    expect(await getRow(id)).toMatchObject({ thumbhash: null });
    expect(await listFiles(id)).toEqual([]);
    for (const { name } of before) {
      expect(await Bun.file(derivedPath(library.database, name)).exists()).toBe(false);
    }
  });
});

describe('playback of a sound file', () => {
  const transcoded: [string, string[]][] = [
    ['lossless.m4a', ['-c:a', 'alac']],
    ['windows.wma', ['-c:a', 'wmav2']],
    ['recorder.mkv', ['-c:a', 'flac']],
    ['apple.aiff', []],
    ['vorbis.ogg', ['-c:a', 'libvorbis']],
    ['talk.opus', ['-c:a', 'libopus']],
    ['studio.wav', ['-c:a', 'pcm_f32le', '-ar', '192000', '-ac', '6']],
  ];
  test.each(transcoded)('%s is converted for browsers', async (name, coding) => {
    const id = await process(makeSound(name, ...coding));
    const [file, ...others] = await listFiles(id);
    expect(others).toEqual([]);
    expect(file).toMatchObject({ kind: 'encoded_video', mime_type: 'audio/mp4' });
    const found = await probe(derivedPath(library.database, file!.name));
    expect(found).toMatchObject({ video: undefined, audio: { codec: 'aac' } });
    expect(found.durationMs).toBeWithin(950, 1150);
    const response = await send(app, `GET /assets/${id}/video/playback`, { as: me });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mp4']);
  });

  const played: [string, string[], string][] = [
    ['song.mp3', ['-c:a', 'libmp3lame'], 'audio/mpeg'],
    ['memo.m4a', ['-c:a', 'aac'], 'audio/mp4'],
    ['disc.flac', ['-c:a', 'flac'], 'audio/flac'],
    ['camera.wav', [], 'audio/wav'],
  ];
  test.each(played)('%s is played as it is', async (name, coding, mimeType) => {
    const id = await process(makeSound(name, ...coding));
    expect(await listFiles(id)).toEqual([]);
    const response = await send(app, `GET /assets/${id}/video/playback`, { as: me });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mimeType]);
  });

  test('a stranger gets neither sound nor cover', async () => {
    const id = await process(makeCovered('mine.mp3'));
    const stranger = { as: await seed(library.database).user() };
    for (const path of ['thumbnail', 'video/playback', 'original']) {
      expect((await send(app, `GET /assets/${id}/${path}`, stranger)).status).toBe(400);
    }
  });

  test('pictures in what is called a sound do not make it a video', async () => {
    const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=1'];
    const path = makeClip(
      join(library.folder, 'film.m4a'),
      [film, TONE, H264, '-c:a', 'alac', '-f', 'mp4'].flat(),
    );
    const id = await process(path);
    const [file] = await listFiles(id);
    expect(file).toMatchObject({ kind: 'encoded_video', mime_type: 'audio/mp4' });
    expect(await getRow(id)).toMatchObject({ type: 'AUDIO', thumbhash: null, broken_reason: null });
  });

  test('a container of films that holds sound only is audio until it gets a picture', async () => {
    const count = async () => (await call(app, 'GET /assets/statistics', { as: me })).body;
    const id = await process(makeSound('voice.mp4', '-c:a', 'aac'));
    expect(await getAsset(id)).toMatchObject({ type: 'AUDIO', thumbhash: null });
    expect((await getRow(id)).broken_reason).toBeNull();
    expect(await count()).toEqual({ images: 0, videos: 0, audio: 1, total: 1 });
    const film = makeClip(
      join(library.folder, 'film.mp4'),
      ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=1', H264].flat(),
    );
    const other = await addFile(library.database, film, { ownerId: me.id });
    await library.database.sql`
      update asset set is_copy = true, sha256 = source.sha256, sha1 = source.sha1
      from (select sha1, sha256 from asset where id = ${other}) source where id = ${id}`;
    await runEffect(library.database, handleRenderVideo(jobCtx(library.database), { assetId: id }));
    expect(await getAsset(id)).toMatchObject({ type: 'VIDEO', width: 64 });
    expect(await count()).toEqual({ images: 0, videos: 2, total: 2 });
  });

  test('what holds no sound is broken, and says so', async () => {
    const id = await process({ name: 'noise.mp3', bytes: Buffer.from('not a sound at all') });
    expect((await getRow(id)).broken_reason).toStartWith('broken: ');
  });

  skipWithout('media').test(
    'the sound note of a camera is played as it is or converted',
    async () => {
      const id = await process(join(MEDIA!, 'cameras/P1010006.WAV'));
      expect(await getRow(id)).toMatchObject({ broken_reason: null, thumbhash: null });
      const response = await send(app, `GET /assets/${id}/video/playback`, { as: me });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toStartWith('audio/');
    },
  );
});

test('a month tells which of its items are sound, and has no such member without any', async () => {
  const photo = await seed(library.database).asset({ ownerId: me.id });
  const bucket = async (): Promise<Json> => {
    const month = `${(await getAsset(photo)).localDateTime.slice(0, 7)}-01`;
    return (await call(app, `GET /timeline/bucket?timeBucket=${month}`, { as: me })).body;
  };
  expect(Object.keys(await bucket())).not.toContain('isAudio');
  const sound = await seed(library.database).asset({ ownerId: me.id, type: 'AUDIO' });
  const { id, isAudio, isImage } = await bucket();
  const kinds = Object.fromEntries(id.map((one: string, at: number) => [one, isAudio[at]]));
  expect(kinds).toEqual({ [photo]: false, [sound]: true });
  expect(isImage[id.indexOf(sound)]).toBe(false);
});
