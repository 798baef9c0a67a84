import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Encoder, SOFTWARE } from '../../../../media/encoders.ts';
import { broken } from '../../../../media/errors.ts';
import { syncPath } from '../../../../media/file-placement.ts';
import { FFMPEG } from '../../../../media/probe.ts';
import { getLastLine, runTool, type ToolResult } from '../../../../media/tool-process.ts';
import { buildLayer, type Layer } from './layer.ts';
import { FADE_FRAMES, type FilmItem, FPS } from './plan.ts';

// Each process reads one item, so that memory is bounded. Its part of the film begins with the crossfade
// from the item before, whose last frames lie in a raw file; all parts are encoded alike, so that they are
// joined without being encoded again.

const MIB = 1024 ** 2;
const NICENESS = 15;
const LIMITS = {
  timeoutMs: 9 * 60_000,
  cpuSeconds: 900,
  memoryBytes: 4096 * MIB,
  dataBytes: 600 * MIB,
  nice: NICENESS,
};
const HARDWARE_LIMITS = {
  timeoutMs: LIMITS.timeoutMs,
  cpuSeconds: LIMITS.cpuSeconds,
  usesGpu: true,
  nice: NICENESS,
};
const THREADS = '2';

/** Without B-frames, times of parts follow each other exactly. */
const FORMAT: readonly string[] = [
  `-bf 0 -g ${2 * FPS} -r ${FPS} -video_track_timescale 15360`,
  '-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv',
].flatMap((words) => words.split(' '));

const SOFTWARE_CODING: readonly string[] = [
  '-profile:v high -level:v 4.1 -preset veryfast -crf 21 -maxrate 16M -bufsize 16M',
  `-pix_fmt yuv420p -threads ${THREADS}`,
].flatMap((words) => words.split(' '));

/** The same for all parts of a film. */
const buildCoding = ({ name, isHardware, options }: Encoder): readonly string[] => [
  '-c:v',
  name,
  ...(isHardware ? options : SOFTWARE_CODING),
  ...FORMAT,
];

/** The hardware failed, or an item: the film is made again by software. */
export class HardwareFailed extends Error {
  override readonly name = 'HardwareFailed';
}

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
  const coding = [...buildCoding(encoder), '-map_metadata', '-1', '-f', 'mp4'];
  const output = { name: `${name}.mp4`, count, coding, encoder };
  const { path } = layer;
  if (!previous) {
    const graph = [...filters, '[layer]null[v]'];
    return renderFrames({ path, input, graph }, output, options);
  }
  const { width, height } = layer.frame;
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`];
  const before = [...raw, '-r', String(FPS), '-i', toTailName(previous)];
  const fade = `xfade=transition=fade:duration=${FADE_FRAMES / FPS}:offset=0,format=yuv420p`;
  const graph = [...filters, `[1:v]settb=1/${FPS},setpts=N[before]`, `[before][layer]${fade}[v]`];
  return renderFrames({ path, input: [...input, ...before], graph }, output, options);
}

function renderTail(layer: Layer, options: SegmentOptions): Promise<void> {
  const part = { first: layer.item.frames - FADE_FRAMES, count: FADE_FRAMES };
  const { input, filters } = buildLayer(layer, part);
  const coding = ['-c:v', 'rawvideo', '-f', 'rawvideo'];
  const output = { name: toTailName(options.name), count: FADE_FRAMES, coding };
  const graph = [...filters, '[layer]null[v]'];
  return renderFrames({ path: layer.path, input, graph }, output, options);
}

type Frames = {
  /** The file that is read. */
  readonly path: string;
  readonly input: readonly string[];
  readonly graph: readonly string[];
};

type Output = {
  readonly name: string;
  readonly count: number;
  readonly coding: readonly string[];
  /** Undefined: raw frames. */
  readonly encoder?: Encoder;
};

/** Writes the frames `[v]` of a graph; the file appears when it is complete. */
async function renderFrames(
  { path: source, input, graph }: Frames,
  { name, count, coding, encoder = SOFTWARE }: Output,
  { folder, signal }: SegmentOptions,
): Promise<void> {
  const path = join(folder, `${name}.part`);
  const { isHardware, device, filters } = encoder;
  const upload = isHardware ? [`[v]${filters.join(',')}[encoded]`] : [];
  const command = [
    ...FFMPEG,
    '-nostats',
    '-progress',
    'pipe:1',
    ...device,
    ...input,
    '-filter_complex_threads',
    '1',
    '-filter_complex',
    [...graph, ...upload].join(';'),
    '-map',
    isHardware ? '[encoded]' : '[v]',
    ...coding,
    '-frames:v',
    String(count),
    `file:${path}`,
  ];
  try {
    const { stdout } = await runFfmpeg(command, { folder, inputs: [source], isHardware, signal });
    const made = Number([...stdout.matchAll(/^frame=\s*(\d+)/gm)].at(-1)?.[1] ?? 0);
    if (made !== count) throw broken(`ffmpeg: ${made} of ${count} pictures`);
  } catch (error) {
    if (!isHardware || signal.aborted) throw error;
    throw new HardwareFailed(`${encoder.name}: ${(error as Error).message}`);
  }
  await syncPath(path);
  await rename(path, join(folder, name));
}

/** Deletes the frames for the crossfade behind a segment. */
export const removeTail = (folder: string, name: string): Promise<void> =>
  rm(join(folder, toTailName(name)), { force: true });

type FfmpegOptions = {
  /** Work folder: names in the command are relative to it. */
  readonly folder: string;
  readonly inputs: readonly string[];
  /** Drivers of a GPU map far more memory than they use. */
  readonly isHardware?: boolean;
  readonly signal: AbortSignal;
};

/** Runs ffmpeg in the work folder, where it may use every file. Throws MediaError. */
export async function runFfmpeg(
  command: readonly string[],
  { folder, inputs, isHardware = false, signal }: FfmpegOptions,
): Promise<ToolResult> {
  const result = await runTool(command, {
    ...(isHardware ? HARDWARE_LIMITS : LIMITS),
    cwd: folder,
    files: { read: [folder, ...inputs], write: [folder] },
    output: join(folder, 'any'),
    signal,
  });
  const { code, stderr } = result;
  if (code !== 0) throw broken(`ffmpeg: ${getLastLine(stderr) || `exit ${code}`}`);
  return result;
}
