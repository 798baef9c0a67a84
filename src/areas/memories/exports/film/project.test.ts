import { expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../../../test/fixtures/clips.ts';
import { createFilmExportTests, ffmpeg } from '../../../../../test/support/exported-films.ts';
import { call, NOW, seed } from '../../../../../test/support/harness.ts';
import { addMemory } from '../../../../../test/support/memories.ts';
import { sample } from '../../../../../test/support/sample.ts';
import { addFace } from '../../../../../test/support/people.ts';
import { findAccountSession } from '../../../../access/account-session.ts';
import { rational } from '../../../../core/rational.ts';
import { renderFrame } from '../../../studio/render/frame.ts';
import { FADE_FRAMES, FPS } from './plan.ts';

const the = createFilmExportTests((folder) => {
  const picture = (name: string, size: string) =>
    makeClip(
      join(folder, name),
      `-f lavfi -i testsrc2=s=${size},gblur=sigma=20 -frames:v 1 -q:v 1`.split(' '),
    );
  picture('wide.jpg', '1600x900');
  picture('tall.jpg', '900x1200');
  picture('classic.jpg', '1200x900');
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=5'];
  const frames = ['-f', 'lavfi', '-i', 'testsrc2=s=640x480:r=30:d=5,gblur=sigma=8'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  const colors = '-colorspace bt709 -color_primaries bt709 -color_trc bt709'.split(' ');
  const convert = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv'];
  makeClip(join(folder, 'clip.mp4'), [...frames, ...tone, ...convert, ...coding, ...colors]);
});

const open = async (memory: string, as = the.me, body?: object) =>
  call(the.app, `POST /memories/${memory}/studio`, {
    as,
    headers: { 'accept-language': 'en' },
    ...(body && { body }),
  });

const addFilm = async (assetIds: readonly string[], name = 'By the sea') =>
  addMemory(the.database, { ownerId: the.me.id, type: 'custom', name }, assetIds);

test('the film of a memory is opened in the studio as a project of its owner', async () => {
  const tall = await the.add('tall.jpg');
  const clip = await the.add('clip.mp4', 'classic.jpg', { type: 'VIDEO', durationMs: 5000 });
  const { status, body } = await open(await addFilm([tall, clip]));
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: 'By the sea', ownerId: the.me.id, revision: 1 });
  const { document } = body;
  expect(document).toMatchObject({ width: 1920, height: 1080 });
  const [title, still, video] = document.clips;
  expect(title).toMatchObject({ assetId: tall, brightness: 0.55, volume: 0 });
  expect(still).toMatchObject({ assetId: tall, surround: 'blur', easing: 'smooth' });
  expect(still.cropTo).toBeDefined();
  expect(video).toMatchObject({ assetId: clip, sourceIn: { numerator: 0, denominator: 1 } });
  const half = { numerator: 1, denominator: 2 };
  expect(document.sounds).toMatchObject([{ assetId: clip, fadeIn: half, fadeOut: half }]);
  expect(document.titles[0]).toMatchObject({ text: 'By the sea', align: 'center', outline: true });
  const stored = await call(the.app, `GET /studio/projects/${body.id}`, { as: the.me });
  expect(stored.body).toEqual(body);
});

test.each([
  ['portrait', { width: 1080, height: 1920 }],
  ['square', { width: 1080, height: 1080 }],
])('a %s has its canvas, the words within it, and music', async (format, canvas) => {
  const tall = await the.add('tall.jpg');
  await addFace(the.database, {
    ownerId: the.me.id,
    assetId: tall,
    x1: 0.6,
    y1: 0.2,
    x2: 0.8,
    y2: 0.4,
  });
  const name = 'A long name of a memory that takes several lines';
  const memory = await addFilm([tall, await the.add('wide.jpg')], name);
  const { body } = await open(memory, the.me, { format, music: 'bright' });
  const { document } = body;
  expect(document).toMatchObject({ ...canvas, music: { track: 'bright' } });
  const [, still, wide] = document.clips;
  expect(wide).toMatchObject({ surround: 'blur' });
  for (const { crop, cropTo } of [still, wide])
    for (const { x, y, width, height } of [crop, cropTo]) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1 + 1e-9);
    }
  const lines = document.titles.filter(({ align }: { align: string }) => align === 'center');
  expect(lines.length).toBeGreaterThan(1);
  for (const { text, size } of lines)
    expect(text.length * size * 0.56 * canvas.height).toBeLessThanOrEqual(canvas.width);
  // Without options, the film is as before.
  const plain = (await open(memory)).body.document;
  expect(plain).toMatchObject({ width: 1920, height: 1080 });
  expect(plain.music).toBeUndefined();
});

test('a memory of somebody else, or one without pictures, is not opened', async () => {
  const other = await seed(the.database).user();
  const memory = await addFilm([await the.add('tall.jpg')]);
  expect((await open(memory, other)).status).toBe(400);
  const locked = await the.add('wide.jpg', 'wide.jpg', { lockedAt: NOW });
  expect(await open(await addFilm([locked]))).toMatchObject({
    status: 400,
    body: { code: 'invalid_state', message: 'None of the items can be shown in a film' },
  });
  const key = { ...the.me, key: (await seed(the.database).user(['memory.read'])).key };
  expect((await open(memory, key)).status).toBe(403);
});

/** Smaller pictures have no even areas to compare. */
const SIZE = { width: 320, height: 180 };

test('the project shows what the film of the memory shows', async () => {
  const face = await the.add('tall.jpg');
  const box = { x1: 0.6, y1: 0.2, x2: 0.8, y2: 0.4 };
  await addFace(the.database, { ownerId: the.me.id, assetId: face, ...box });
  const clip = await the.add('clip.mp4', 'classic.jpg', { type: 'VIDEO', durationMs: 5000 });
  const id = await the.queue([face, await the.add('wide.jpg'), clip], '');
  await the.run(id, {}, SIZE.width / 1920);
  const { memoryId } = await the.get(id);
  const { body } = await open(memoryId);
  const document = { ...body.document, ...SIZE };
  const session = (await findAccountSession(the.database.db, the.me.id))!;
  const folder = join(the.database.deps.paths.studio, 'compared');
  const order = { document, quality: 'full', viewport: SIZE, session, folder } as const;
  const starts = document.clips.map(
    ({ start }: { start: { numerator: number; denominator: number } }) =>
      (start.numerator / start.denominator) * FPS,
  );
  const wanted: number[] = starts.flatMap((start: number) => [
    start + FADE_FRAMES / 2 + 0.5,
    start + 60,
  ]);
  /** The median difference of each frame. */
  const differences: number[] = [];
  for (const frame of sample('frames of the film', wanted, 4)) {
    const time = rational(BigInt(frame), BigInt(FPS));
    await renderFrame(the.database.deps, { ...order, time, signal: new AbortController().signal });
    const png = join(folder, 'film.png');
    const filters = `select=eq(n\\,${frame}),scale=in_color_matrix=bt709,format=rgb24`;
    ffmpeg('-i', the.getFilmPath(id), '-vf', filters, '-frames:v', '1', png);
    const [a, b] = await Promise.all(
      [png, join(folder, 'frame.png')].map((path) => sharp(path).raw().toBuffer()),
    );
    const parts = a!.map((value, at) => Math.abs(value - b![at]!)).toSorted();
    differences.push(parts[Math.floor(parts.length / 2)]!);
  }
  // The film has been encoded.
  expect(Math.max(...differences)).toBeLessThanOrEqual(2);
}, 300_000);
