import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import {
  addFile,
  derivedPath,
  drainLane,
  jobCtx,
  openMediaLibrary,
} from '../../../../test/support/processing.ts';
import { getAssetRow, listFileRows, listJobRows } from '../../../../test/support/rows.ts';
import { createLog } from '../../../core/log.ts';
import { derivedName } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { assetFiles } from '../../../db/tables/assets.ts';
import { type FailureRecord, JobTimeoutError } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import { TOOL_ENV } from '../../../media/programs.ts';
import { renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import { handleRenderEdits } from '../edits/edits.handlers.ts';
import {
  handleRenderImage,
  handleRenderVideo,
  handleTranscodeVideo,
} from './thumbnails.handlers.ts';
import { handleExportProject } from '../../studio/exports/export.handlers.ts';
import { handleRenderFrame } from '../../studio/previews/render.handlers.ts';
import { handleMakeOverview } from '../../studio/sources/overview.handlers.ts';
import { handleExportFilm } from '../../memories/exports/film.handlers.ts';
import { handlePickFrames } from '../../enrichment/frames/pick.handlers.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';

let database: TestDatabase;
let ownerId: string;
let folder: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  ownerId = (await seed(database).user()).id;
  await database.sql`truncate job`;
});

const drainImages = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });
const drainVideos = () =>
  drainLane(database, 'video', {
    'assets.renderVideo': handleRenderVideo,
    'assets.transcodeVideo': handleTranscodeVideo,
    'enrichment.pickFrames': handlePickFrames,
    'memories.exportFilm': handleExportFilm,
    'studio.exportProject': handleExportProject,
    'studio.makeOverview': handleMakeOverview,
    'studio.renderFrame': handleRenderFrame,
  });
const getRow = (id: string) => getAssetRow(database, id);
const listFiles = (id: string) => listFileRows(database, id);
/** Without what the models will do: that waits in a lane of its own. */
const jobs = async () => (await listJobRows(database)).filter(({ lane }) => lane !== 'inference');

const photo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c63' } });

async function addPhoto(name = 'a.jpg', width = 3000, height = 2000): Promise<string> {
  const bytes = await photo(width, height).jpeg().toBuffer();
  return addFile(database, { name, bytes }, { ownerId });
}

/** A clip that every browser plays, unless told otherwise. */
function makeVideo(name: string, coding = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']): string {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10:duration=1'];
  return makeClip(join(folder, name), [...source, ...coding]);
}

test('renders thumbnail, preview, size and thumbhash of a photo', async () => {
  const id = await addPhoto();
  await enqueue(database.db, renderImage, { assetId: id });
  await drainImages();

  const row = await getRow(id);
  expect(row).toMatchObject({ width: 3000, height: 2000, broken_reason: null });
  expect(row.thumbhash!.length).toBeWithin(5, 40);
  const [preview, thumbnail] = await listFiles(id);
  expect(preview).toMatchObject({ kind: 'preview', mime_type: 'image/jpeg' });
  expect(thumbnail).toMatchObject({ kind: 'thumbnail', mime_type: 'image/webp' });
  for (const file of [preview!, thumbnail!]) {
    const onDisk = Bun.file(derivedPath(database, file.name));
    expect(onDisk.size).toBe(Number(file.size));
    const { width, height } = await sharp(await onDisk.bytes()).metadata();
    expect(Math.min(width, height)).toBe(file.kind === 'preview' ? 1500 : 250);
  }
  expect(await jobs()).toEqual([]);
  expect(await readdir(derivedPath(database, 'scratch'))).toEqual([]);
});

test('rendering again leaves one set of files and keeps the ETags of equal bytes', async () => {
  const id = await addPhoto();
  const ctx = jobCtx(database);
  const first = await handleRenderImage(ctx, { assetId: id });
  await database.db.transaction((tx) => first!(tx));
  const before = await listFiles(id);
  const again = await handleRenderImage(ctx, { assetId: id });
  await database.db.transaction((tx) => again!(tx));
  expect((await listFiles(id)).map(({ name, tag }) => [name, tag])).toEqual(
    before.map(({ name, tag }) => [name, tag]),
  );
});

test('the log tells that a photo is damaged, and shows nothing of it', async () => {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const source = { width: 1200, height: 800, channels: 3 as const, background: '#c63', noise };
  const whole = await sharp({ create: source }).jpeg({ quality: 95 }).toBuffer();
  const torn = { name: 'torn.jpg', bytes: whole.subarray(0, whole.length * 0.7) };
  const id = await addFile(database, torn, { ownerId });
  for (const format of ['json', 'pretty'] as const) {
    const lines: string[] = [];
    const log = createLog({ level: 'debug', format, write: (line) => void lines.push(line) });
    await handleRenderImage(jobCtx(database, { log }), { assetId: id });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('picture partially damaged');
    expect(lines[0]).toContain(id);
    expect(lines[0]!.length).toBeLessThan(1000);
  }
});

test('a preview rendered in another format replaces the previous file', async () => {
  const id = await addPhoto();
  const old = derivedName(id, 'preview', 'webp');
  await Bun.write(derivedPath(database, old), 'old');
  const row = {
    assetId: id,
    kind: 'preview' as const,
    name: old,
    mimeType: 'image/webp',
    tag: 'x',
  };
  await database.db.insert(assetFiles).values({ ...row, size: 3 });
  await enqueue(database.db, renderImage, { assetId: id });
  await drainImages();
  const [preview] = await listFiles(id);
  expect(preview!.name).toBe(derivedName(id, 'preview', 'jpg'));
  const left = await readdir(database.deps.paths.derived, { recursive: true });
  expect(left.filter((name) => name.includes(`${id}-preview`))).toEqual([preview!.name]);
});

test('a missing decoder is waited for: it names its package and does not mark the asset broken', async () => {
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(99)]);
  const id = await addFile(database, { name: 'a.heic', bytes: heic }, { ownerId });
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const env = TOOL_ENV as { PATH: string };
  const before = env.PATH;
  env.PATH = bin;
  try {
    await enqueue(database.db, renderImage, { assetId: id });
    await drainImages();
  } finally {
    env.PATH = before;
  }
  expect(await getRow(id)).toMatchObject({ broken_reason: null });
  const [job] = await jobs();
  expect(job).toMatchObject({ state: 'waiting', failures: 0, faults: 1 });
  expect(job!.last_error).toContain('heif-convert');
  expect(job!.last_error).toContain('apt-get install libheif-examples');
});

test('leaves no files of an asset that is deleted during rendering', async () => {
  const id = await addPhoto();
  const effect = await handleRenderImage(jobCtx(database), { assetId: id });
  await database.sql`delete from asset where id = ${id}`;
  const tidy = await database.db.transaction((tx) => effect!(tx));
  await tidy?.();
  const left = await readdir(database.deps.paths.derived, { recursive: true });
  expect(left.filter((name) => name.includes(id))).toEqual([]);
  expect(await handleRenderImage(jobCtx(database), { assetId: id })).toBeUndefined();
});

test('a missing original fails the job and does not mark the asset broken', async () => {
  const id = await addPhoto();
  const { sha256 } = await getRow(id);
  await unlink(originalPath(database.deps.paths, sha256));
  await enqueue(database.db, renderImage, { assetId: id });
  await drainImages();
  expect(await getRow(id)).toMatchObject({ broken_reason: null, thumbhash: null });
  expect(await jobs()).toMatchObject([{ state: 'waiting', failures: 1 }]);
});

describe('undecodable files are marked broken without blocking the queue', () => {
  const png = () => photo(10, 10).png().toBuffer();
  const BROKEN: [string, () => Promise<Uint8Array> | Uint8Array][] = [
    ['empty.jpg', () => new Uint8Array()],
    ['text.jpg', () => Buffer.from('this is no picture at all')],
    ['head.jpg', async () => (await photo(200, 200).jpeg().toBuffer()).subarray(0, 80)],
    [
      'noise.png',
      async () => Buffer.concat([(await png()).subarray(0, 40), Buffer.alloc(5000, 7)]),
    ],
    ['noise.heic', () => Buffer.concat([Buffer.from('\0\0\0\x18ftypheic'), Buffer.alloc(999, 3)])],
    ['noise.nef', () => Buffer.concat([Buffer.from('MM\0*'), Buffer.alloc(999, 9)])],
    ['noise.jxl', () => Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.alloc(999, 9)])],
    [
      // 60,000 × 60,000 pixels in a header of a few bytes.
      'bomb.png',
      async () => {
        const bytes = Buffer.from(await png());
        bytes.writeUInt32BE(60_000, 16);
        bytes.writeUInt32BE(60_000, 20);
        bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(12, 29)), 29);
        return bytes;
      },
    ],
    ['script.jpg', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ];

  test('undecodable pictures', async () => {
    const ids: string[] = [];
    for (const [name, make] of BROKEN) {
      ids.push(await addFile(database, { name, bytes: await make() }, { ownerId }));
    }
    const good = await addPhoto('good.jpg', 300, 200);
    for (const assetId of [...ids, good]) await enqueue(database.db, renderImage, { assetId });
    await drainImages();
    const reasons = await Promise.all(ids.map(async (id) => (await getRow(id)).broken_reason));
    // No folder of the server.
    expect(reasons.join('\n')).not.toMatch(/(?:^|[\s'"(:])\//m);
    for (const [index, reason] of reasons.entries()) {
      expect([BROKEN[index]![0], reason]).toEqual([BROKEN[index]![0], expect.any(String)]);
    }
    expect(await getRow(good)).toMatchObject({ broken_reason: null, width: 300 });
    expect(await jobs()).toEqual([]);
    expect(await readdir(derivedPath(database, 'scratch'))).toEqual([]);
  });

  test('undecodable videos', async () => {
    const clip = await Bun.file(makeVideo('ok.mp4')).bytes();
    const files = [
      { name: 'noise.mp4', bytes: Buffer.alloc(5000, 5) },
      { name: 'cut.mov', bytes: clip.subarray(0, 300) },
      { name: 'list.mp4', bytes: Buffer.from('#EXTM3U\n/etc/passwd\n') },
    ];
    const ids: string[] = [];
    for (const file of files) ids.push(await addFile(database, file, { ownerId }));
    for (const assetId of ids) await enqueue(database.db, renderVideo, { assetId });
    await drainVideos();
    for (const id of ids) expect((await getRow(id)).broken_reason).toEqual(expect.any(String));
    expect(await jobs()).toEqual([]);
  });

  test('a picture whose last attempt exceeds the time limit of the job', async () => {
    const id = await addPhoto();
    let record: FailureRecord | undefined;
    const ctx = jobCtx(database, {
      signal: AbortSignal.abort(new JobTimeoutError(600_000)),
      onFailed: (given) => {
        record = given;
      },
    });
    const error = await handleRenderImage(ctx, { assetId: id }).catch((thrown: unknown) => thrown);
    await record!(database.db, new Error('The disk is away'));
    expect(await getRow(id)).toMatchObject({ broken_reason: null });
    await record!(database.db, error);
    expect(await getRow(id)).toMatchObject({
      broken_reason: 'timeout: The job exceeded its time limit of 600 s',
    });
    await record!(database.db, new MediaError('interrupted', 'The decoder made no progress'));
    expect(await getRow(id)).toMatchObject({
      broken_reason: 'interrupted: The decoder made no progress',
    });
    // Tried again later, it is as if nothing had been.
    await enqueue(database.db, renderImage, { assetId: id });
    await drainImages();
    expect(await getRow(id)).toMatchObject({ broken_reason: null, width: expect.any(Number) });
  });

  test('rendering a repaired file removes the broken mark', async () => {
    const id = await addPhoto();
    await database.sql`update asset set broken_reason = 'broken: once' where id = ${id}`;
    await enqueue(database.db, renderImage, { assetId: id });
    await drainImages();
    expect(await getRow(id)).toMatchObject({ broken_reason: null });
  });
});

test('a video that browsers can play gets a poster and no transcode', async () => {
  const id = await addFile(database, makeVideo('plain.mp4'), { ownerId });
  await enqueue(database.db, renderVideo, { assetId: id });
  await drainVideos();
  expect(await getRow(id)).toMatchObject({ width: 320, height: 180, duration_ms: 1000 });
  expect((await listFiles(id)).map((file) => file.kind)).toEqual(['preview', 'thumbnail']);
  expect(await jobs()).toEqual([]);
});

test('transcodes a video that browsers cannot play', async () => {
  const path = makeVideo('old.avi', ['-c:v', 'mpeg4']);
  const id = await addFile(database, path, { ownerId });
  await enqueue(database.db, renderVideo, { assetId: id });
  await drainVideos();
  const files = await listFiles(id);
  expect(files.map((file) => file.kind)).toEqual(['encoded_video', 'preview', 'thumbnail']);
  const encoded = files.find((file) => file.kind === 'encoded_video');
  expect(encoded).toMatchObject({ mime_type: 'video/mp4' });
  const onDisk = Bun.file(derivedPath(database, encoded!.name));
  expect(onDisk.size).toBe(Number(encoded!.size));
  expect(await jobs()).toEqual([]);

  await database.sql`delete from asset_file where asset_id = ${id} and kind = 'encoded_video'`;
  await enqueue(database.db, transcodeVideo, { assetId: id });
  await drainVideos();
  expect(await listFiles(id)).toHaveLength(3);
});
