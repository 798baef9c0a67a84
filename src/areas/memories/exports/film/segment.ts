import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Encoder } from '../../../../media/encoders.ts';
import { buildFilmCoding, writeFilmPart } from '../../../../media/film-encoding.ts';
import { buildLayer, type Layer } from './layer.ts';
import { FADE_FRAMES, type FilmItem, FPS } from './plan.ts';

// Each process reads one item, so that memory is bounded. Its part of the film begins with the crossfade
// from the item before, whose last frames lie in a raw file; all parts are encoded alike, so that they are
// joined without being encoded again.

const RATE = { numerator: FPS, denominator: 1 };
const THREADS = '2';

const SOFTWARE_CODING: readonly string[] = [
  '-profile:v high -level:v 4.1 -preset veryfast -crf 21 -maxrate 16M -bufsize 16M',
  `-pix_fmt yuv420p -threads ${THREADS}`,
].flatMap((words) => words.split(' '));

const CONTAINER = ['-map_metadata', '-1', '-f', 'mp4'];
/** Memory is bounded. */
const ONE_THREAD = ['-filter_complex_threads', '1'];

export type SegmentOptions = {
  readonly folder: string;
  /** Without an ending. */
  readonly name: string;
  /** Name of the segment before, which the crossfade begins with. */
  readonly previous: string | undefined;
  readonly isLast: boolean;
  /** That of all parts. */
  readonly encoder: Encoder;
  readonly signal: AbortSignal;
};

/** Frames of the part that an item has alone, with the crossfade before it. */
export const getSegmentFrames = ({ frames }: FilmItem, isLast: boolean): number =>
  frames - (isLast ? 0 : FADE_FRAMES);

/** Of the last frames of an item, which fade into the next: raw, so that they are not encoded twice. */
const toTailName = (name: string) => `${name}.yuv`;

/**
 * Renders the part of an item: '<name>.mp4', and before it the frames for the crossfade to the next one.
 * Throws MediaError, 'broken' too if the item has fewer frames than it should, or HardwareFailed.
 */
export async function renderSegment(layer: Layer, options: SegmentOptions): Promise<void> {
  const { name, previous, isLast, encoder } = options;
  const count = getSegmentFrames(layer.item, isLast);
  if (!isLast) await renderTail(layer, options);
  const { input, filters } = buildLayer(layer, { first: 0, count });
  const coding = [...buildFilmCoding(encoder, RATE, SOFTWARE_CODING), ...CONTAINER];
  const output = { ...options, name: `${name}.mp4`, count, coding };
  const files = [layer.path];
  if (!previous) {
    const graph = [...filters, '[layer]null[v]'];
    return writeFilmPart({ files, input: [...ONE_THREAD, ...input], graph }, output);
  }
  const { width, height } = layer.frame;
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`];
  const before = [...raw, '-r', String(FPS), '-i', toTailName(previous)];
  const fade = `xfade=transition=fade:duration=${FADE_FRAMES / FPS}:offset=0,format=yuv420p`;
  const graph = [...filters, `[1:v]settb=1/${FPS},setpts=N[before]`, `[before][layer]${fade}[v]`];
  return writeFilmPart({ files, input: [...ONE_THREAD, ...input, ...before], graph }, output);
}

function renderTail(layer: Layer, { name, folder, signal }: SegmentOptions): Promise<void> {
  const part = { first: layer.item.frames - FADE_FRAMES, count: FADE_FRAMES };
  const { input, filters } = buildLayer(layer, part);
  const coding = ['-c:v', 'rawvideo', '-f', 'rawvideo'];
  const output = { folder, signal, name: toTailName(name), count: FADE_FRAMES, coding };
  const graph = [...filters, '[layer]null[v]'];
  return writeFilmPart({ files: [layer.path], input: [...ONE_THREAD, ...input], graph }, output);
}

/** Deletes the frames for the crossfade behind a segment. */
export const removeTail = (folder: string, name: string): Promise<void> =>
  rm(join(folder, toTailName(name)), { force: true });
