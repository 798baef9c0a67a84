import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { seed } from '../../../../../test/support/harness.ts';
import { paintClip } from '../../../../../test/support/painted-clips.ts';
import { addFile, jobCtx } from '../../../../../test/support/processing.ts';
import { sample } from '../../../../../test/support/sample.ts';
import { openStudio, type Studio } from '../../../../../test/support/studio.ts';
import { findAccountSession } from '../../../../access/account-session.ts';
import type { UserSession } from '../../../../access/session.ts';
import { divide, rational, toRational } from '../../../../core/rational.ts';
import type { StudioClip, StudioDocument } from '../../../../db/tables/studio.ts';
import { type Encoder, SOFTWARE } from '../../../../media/encoders.ts';
import { FULL_CROP, listAssetIds } from '../../projects/document.ts';
import { renderFrame } from '../../render/frame.ts';
import { requireSources } from '../../render/sources.ts';
import { countFrames } from '../../render/layers.ts';
import { buildSegmentGraph, type PlayedFilm } from '../../render/segment-graph.ts';
import { makeFilm } from './make-film.ts';
import { listPieces } from './pieces.ts';

let studio: Studio;
let ownerId: string;
let session: UserSession;
let shown: StudioDocument;
beforeAll(async () => {
  studio = await openStudio();
  ownerId = (await seed(studio.database).user()).id;
  session = (await findAccountSession(studio.database.db, ownerId))!;
  shown = await makeDocument();
});
afterAll(() => studio.close());

const second = (numerator: number, denominator = 1) => ({ numerator, denominator });
const NTSC = second(30_000, 1001);

async function prepare(document: StudioDocument): Promise<PlayedFilm> {
  const { deps } = studio.database;
  const sources = await requireSources(deps, session, listAssetIds(document));
  return { document, sources, studio: deps.paths.studio, size: document };
}

/** Returns the path of the film. */
async function make(document: StudioDocument, ...encoders: Encoder[]): Promise<string> {
  const film = await prepare(document);
  const work = await mkdtemp(join(studio.folder, 'work-'));
  const target = join(work, 'film.mp4');
  const order = { film, title: 'Film', work, target, onFrames: () => {} };
  await makeFilm(jobCtx(studio.database), order, async () => [...encoders, SOFTWARE]);
  return target;
}

const ask = (path: string, entries: string, stream = 'v'): string => {
  const words = `-v error -select_streams ${stream} -of csv=p=0 -show_entries ${entries}`;
  const { stdout } = Bun.spawnSync(['ffprobe', ...words.split(' '), path]);
  return stdout.toString().trim();
};

function readFrames(words: readonly string[], cwd: string, size: number): Uint8Array[] {
  const output = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'];
  const { stdout } = Bun.spawnSync(['ffmpeg', '-nostdin', '-v', 'error', ...words, ...output], {
    cwd,
  });
  return Array.from({ length: stdout.length / size }, (_, at) =>
    Uint8Array.prototype.slice.call(stdout, at * size, (at + 1) * size),
  );
}

/** Returns the preview of a frame in the best quality. */
async function renderPreview(document: StudioDocument, frame: number): Promise<Uint8Array> {
  const folder = await mkdtemp(join(studio.folder, 'frame-'));
  const time = divide(rational(BigInt(frame)), toRational(document.frameRate));
  const { signal } = new AbortController();
  const order = { document, time, quality: 'full', viewport: document, session, folder, signal };
  await renderFrame(studio.database.deps, order as Parameters<typeof renderFrame>[1]);
  return sharp(join(folder, 'frame.png')).removeAlpha().raw().toBuffer();
}

function compare(a: Uint8Array, b: Uint8Array): { most: number; mean: number } {
  let [most, sum] = [0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const difference = Math.abs(a[at]! - b[at]!);
    most = Math.max(most, difference);
    sum += difference;
  }
  return { most, mean: sum / a.length };
}

/** Two tracks with everything that can be drawn, at other rates than that of the film. */
async function makeDocument(): Promise<StudioDocument> {
  const coding = '-c:v libx264 -crf 12 -preset veryfast -g 60 -bf 3';
  const add = (name: string, clip: Omit<Parameters<typeof paintClip>[1], 'coding'>) => {
    const path = join(studio.folder, name);
    paintClip(path, { ...clip, coding });
    return addFile(studio.database, path, { ownerId });
  };
  const lower = await add('base.mp4', { frames: 150, rate: '25' });
  const upper = await add('upper.mp4', { frames: 120, source: 'testsrc2' });
  const clip = { track: 0, sourceIn: second(1, 3), start: second(0), duration: second(3) };
  const over = {
    assetId: upper,
    track: 1,
    start: second(1, 2),
    duration: second(3, 2),
    sourceIn: second(1),
    speed: second(3, 2),
    fadeIn: second(1, 2),
    fadeOut: second(1, 3),
    scale: 0.5,
    rotation: 10,
    opacity: 0.7,
    crop: { x: 0.1, y: 0.1, width: 0.6, height: 0.8 },
  };
  const title = { text: "It's 100%", start: second(1), duration: second(1), x: 0.5, y: 0.8 };
  return {
    width: 320,
    height: 192,
    frameRate: NTSC,
    background: '#204060',
    clips: [{ assetId: lower, ...clip }, over],
    titles: [{ ...title, size: 0.15 }],
  };
}

/** Both clips one after the other, filling the canvas, the second mixed with the first. */
function toCrossfade({ clips, ...document }: StudioDocument): StudioDocument {
  const [first, after] = clips as [StudioClip, StudioClip];
  const { assetId } = after;
  const moving = { crop: { x: 0.2, y: 0.2, width: 0.6, height: 0.6 }, cropTo: FULL_CROP };
  const later = { ...first, assetId, start: second(3, 2), fadeIn: second(1, 2), ...moving };
  const filling = { fit: 'cover', surround: 'blur' } as const;
  return {
    ...document,
    clips: [
      { ...first, ...filling, duration: second(2) },
      { ...later, ...filling },
    ],
  };
}

describe('the pictures of a film', () => {
  test.each(['two tracks', 'a crossfade'])('of %s are those of the previews', async (name) => {
    const document = name === 'two tracks' ? shown : toCrossfade(shown);
    const film = await prepare(document);
    const size = 3 * document.width * document.height;
    const frames: Uint8Array[] = [];
    for (const piece of listPieces(document)) {
      const folder = await mkdtemp(join(studio.folder, 'piece-'));
      const rate = toRational(document.frameRate);
      const { input, graph } = await buildSegmentGraph(film, piece, rate, { folder });
      const words = [...input, '-filter_complex', graph, '-map', '[played]'];
      const made = readFrames(words, folder, size);
      expect(made.length).toBe(piece.frames);
      frames.push(...made);
    }
    const path = await make(document);
    const encoded = readFrames(['-i', path, '-vf', 'scale=flags=accurate_rnd'], '/', size);
    expect(encoded.length).toBe(frames.length);
    for (const frame of sample(name, [0, 14, 15, 29, 30, 44, 59, 60, 89], 4)) {
      const preview = await renderPreview(document, frame);
      expect(compare(preview, frames[frame]!).most).toBeLessThanOrEqual(2);
      expect(compare(preview, encoded[frame]!).mean).toBeLessThan(6);
    }
  });

  test('last as long as they should, across all parts', async () => {
    const long = [{ ...shown.clips[0]!, duration: second(45) }, shown.clips[1]!];
    // Small, since it is long.
    const film = { ...shown, width: 160, height: 96, clips: long };
    const total = countFrames(film);
    expect([...listPieces(film)].length).toBeGreaterThan(4);
    const path = await make(film);
    const times = ask(path, 'packet=pts').split('\n').map(Number.parseFloat);
    expect(times).toEqual(Array.from({ length: total }, (_, at) => at * 1001));
    const fields = 'codec_name,profile,pix_fmt,color_range,color_space,color_transfer,time_base';
    expect(ask(path, `stream=${fields}`)).toBe('h264,High,yuv420p,tv,bt709,bt709,1/30000');
    expect(ask(path, 'stream=index', 'a')).toBe('');
    const bytes = Buffer.from(await Bun.file(path).bytes());
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
  });

  test('have the colours of the canvas', async () => {
    const titles = [{ text: '.', start: second(0), duration: second(1), x: 0, y: 0, size: 0.01 }];
    for (const background of ['#ff0000', '#20c040', '#ffffff']) {
      const document = {
        width: 64,
        height: 64,
        frameRate: second(10),
        background,
        clips: [],
        titles,
      };
      const [frame] = readFrames(['-i', await make(document)], '/', 3 * 64 * 64);
      const middle = 3 * (32 * 64 + 32);
      const wanted = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16));
      for (const [channel, value] of wanted.entries())
        expect(Math.abs(frame![middle + channel]! - value)).toBeLessThanOrEqual(6);
    }
  });

  test('are encoded by software where hardware fails', async () => {
    const titles = [{ text: '.', start: second(0), duration: second(1), x: 0, y: 0, size: 0.01 }];
    const document = { width: 64, height: 64, frameRate: second(10), clips: [], titles };
    const options = ['-profile:v', 'nonsense'];
    const path = await make(document, { ...SOFTWARE, isHardware: true, options });
    expect(ask(path, 'stream=profile,nb_frames')).toBe('High,10');
  });
});
