import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../../../test/support/until.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { paintClip } from '../../../../test/support/painted-clips.ts';
import { listStreamProcesses } from '../../../../test/support/streams.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import type { FileAccess } from '../../../core/launch.ts';
import { rememberIndexes } from '../render/layer-inputs.ts';
import type { Source } from '../render/sources.ts';
import { spawnStreamChild } from './child-process.ts';
import { prepareFileAccess } from './supervisor.ts';
import type { Film, FromChild } from './messages.ts';

let folder: string;
let film: Film;
let files: Required<Pick<FileAccess, 'read' | 'write'>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stream-child-'));
  film = await makeFilm();
  files = (await prepareFileAccess(film)) as typeof files;
  await rememberIndexes(film, film.sources.values());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const seconds = (numerator: number) => ({ numerator, denominator: 1 });

/** A video below a photo and a title. */
async function makeFilm(): Promise<Film> {
  const [video, photo] = [join(folder, 'video.mp4'), join(folder, 'photo.jpg')];
  paintClip(video, { frames: 30, coding: '-c:v libx264 -preset ultrafast' });
  await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).toFile(photo);
  const source = { picture: null, picturePath: photo };
  const sources: Source[] = [
    { id: 'video', type: 'VIDEO', path: video, sha256: 'ab'.repeat(32), ...source },
    { id: 'photo', type: 'IMAGE', path: photo, sha256: 'cd'.repeat(32), ...source },
  ];
  const span = { start: seconds(0), duration: seconds(1) };
  const clips = sources.map(({ id: assetId }, track) => {
    return { assetId, track, sourceIn: seconds(0), ...span, scale: 1 - track / 2 };
  });
  const titles = [{ text: 'Film', x: 0.5, y: 0.5, size: 0.2, ...span }];
  return {
    document: { width: 320, height: 192, frameRate: seconds(30), clips, titles },
    sources: new Map(sources.map((source) => [source.id, source])),
    size: { width: 320, height: 192 },
    time: seconds(0),
    studio: join(folder, 'studio'),
    folder: join(folder, 'stream'),
  };
}

/** Returns why a child with these files fails to show the film; undefined if it shows it. */
async function findFailure(access: Parameters<typeof spawnStreamChild>[0], shown = film) {
  const told = Promise.withResolvers<string | undefined>();
  const child = spawnStreamChild(access, {
    onMessage(message: FromChild) {
      if (message.type === 'ready') {
        child.send({ type: 'start', film: shown, maxBitrateKbps: 1200, ports: undefined });
        child.send({ type: 'indexed' });
      }
      if (message.type === 'offer')
        child.send({ type: 'position', number: 1, time: seconds(0), isPlaying: false });
      if (message.type === 'shown') told.resolve(undefined);
      if (message.type === 'failed') told.resolve(message.message);
    },
    onExit: () => told.resolve('it has ended'),
  });
  try {
    return await told.promise;
  } finally {
    child.kill();
  }
}

test('a child that was killed can be sent messages', async () => {
  const ended = Promise.withResolvers<void>();
  const child = spawnStreamChild({}, { onMessage() {}, onExit: ended.resolve });
  child.kill();
  child.send({ type: 'reconnect', negotiation: 2 });
  await ended.promise;
  child.send({ type: 'reconnect', negotiation: 3 });
  // Children of the tests before may be ending.
  await until(() => listStreamProcesses(process.pid).children.length === 0);
});

describe('a child', () => {
  test('shows videos, photos and titles with the files that it is given', async () => {
    expect(await findFailure(files)).toBeUndefined();
  });

  skipWithout('Landlock').test('uses no other files', async () => {
    const { read, write } = files;
    for (const missing of read)
      expect(await findFailure({ read: read.filter((path) => path !== missing), write })).toMatch(
        /permission denied|EACCES/i,
      );
    expect(await findFailure({ read: [...read, ...write] })).toMatch(/EACCES/);
    const studio = join(folder, 'other');
    expect(await findFailure(files, { ...film, studio })).toMatch(/EACCES/);
  });
});

test('the program of a child loads no queries and nothing of the API', () => {
  const script = `await import('${join(import.meta.dir, 'child/serve.ts')}');
    console.log(Object.keys(require.cache).join('\\n'));
    process.exit(0);`;
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script]);
  const loaded = stdout.toString().split('\n');
  expect(loaded.some((path) => path.endsWith('/child/serve.ts'))).toBe(true);
  const refused = /\/src\/(db|access|http)\/|\.store\.ts$|\/node_modules\/(elysia|drizzle-orm)\//;
  expect(loaded.filter((path) => refused.test(path))).toEqual([]);
});
