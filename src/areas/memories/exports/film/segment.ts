import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withDecodeMemory } from '../../../../media/decode-memory.ts';
import { broken } from '../../../../media/errors.ts';
import { syncPath } from '../../../../media/file-placement.ts';
import {
  buildDecodeArguments,
  type MediaProbe,
  SAFE_INPUT,
  startFfmpeg,
} from '../../../../media/probe.ts';
import type { Size } from '../../../../media/sizes.ts';
import { getLastLine, runTool } from '../../../../media/tool-process.ts';
import { buildSdrFilters } from '../../../../media/tonemap.ts';
import { type CameraMove, FILM, fillFrame, showStill } from './camera.ts';
import { FADE_FRAMES, type FilmItem, FPS } from './plan.ts';
import type { TextFilter } from './texts.ts';

// One process for each item. Its part of the film begins with the crossfade from the item before, and all
// parts are encoded alike, so that they are joined without being encoded again.

const MIB = 1024 ** 2;
const LIMITS = {
  timeoutMs: 9 * 60_000,
  cpuSeconds: 900,
  memoryBytes: 4096 * MIB,
  dataBytes: 600 * MIB,
};
const NICENESS = 15;
const THREADS = '2';

/** An item with all that is needed to draw it. */
export type Layer = {
  readonly item: FilmItem;
  readonly path: string;
  /** Of the picture. */
  readonly size: Size;
  /** Of a video. */
  readonly probe: MediaProbe | undefined;
  readonly move: CameraMove;
  readonly texts: readonly TextFilter[];
};

type Source = { readonly input: readonly string[]; readonly filters: readonly string[] };
type Part = { readonly index: number; readonly first: number; readonly count: number };

/** Returns `count` frames of an item from frame `first` as the stream `[v<index>]`. */
function buildLayer(layer: Layer, { index, first, count }: Part): Source {
  const { item, path, texts } = layer;
  const [from, plain, to] = [`[${index}:v]`, `[p${index}]`, `[v${index}]`];
  const after = [
    ...texts,
    `trim=end_frame=${count}`,
    `settb=1/${FPS}`,
    'setpts=N',
    'format=yuv420p',
  ];
  const filters = (steps: readonly string[]) => [...steps, `${plain}${after.join(',')}${to}`];
  const still = ['-protocol_whitelist', 'file', '-f', 'image2', '-pattern_type', 'none'];
  if (item.kind === 'title') {
    const ground = [
      `${from}scale=${FILM.width}:${FILM.height}:force_original_aspect_ratio=increase:out_range=tv`,
      `crop=${FILM.width}:${FILM.height}`,
      'setsar=1',
      'format=yuv420p',
      'gblur=sigma=24',
      'lutyuv=y=16+(val-16)*0.55',
      `loop=loop=${count - 1}:size=1:start=0`,
      `fps=${FPS}${plain}`,
    ];
    return { input: [...still, '-i', `file:${path}`], filters: filters([ground.join(',')]) };
  }
  if (item.kind === 'still') {
    const part = { move: layer.move, first, count, total: item.frames };
    const steps = showStill([from, plain], layer.size, part);
    return { input: [...still, '-i', `file:${path}`], filters: filters(steps) };
  }
  return buildVideoLayer(layer, { index, first, count }, filters);
}

function buildVideoLayer(
  { item, path, probe, size }: Layer,
  { index, first, count }: Part,
  finish: (steps: readonly string[]) => string[],
): Source {
  const video = probe!.video!;
  const start = (item.startMs / 1000 + first / FPS).toFixed(3);
  const { threads } = buildDecodeArguments(video);
  const sdr = buildSdrFilters(video.color);
  const [from, filled, plain] = [`[${index}:${video.index}]`, `[f${index}]`, `[p${index}]`];
  const steady = [`fps=${FPS}`, `tpad=stop_mode=clone:stop=${count}`, `trim=end_frame=${count}`];
  const steps = [
    `${from}${[...(video.isInterlaced ? ['yadif'] : []), ...steady].join(',')}[t${index}]`,
    ...fillFrame([`[t${index}]`, filled], size, {
      convert: sdr,
      // The conversion reads the colours as they are in the file.
      ...(sdr.length > 0 && { colors: '' }),
    }),
    `${filled}null${plain}`,
  ];
  const reading = ['-ss', start, '-t', (count / FPS + 1).toFixed(3), ...threads, ...SAFE_INPUT];
  return { input: [...reading, '-i', `file:${path}`], filters: finish(steps) };
}

/** The same for all parts. Without B-frames, times of parts follow each other exactly. */
const ENCODING: readonly string[] = [
  '-c:v',
  'libx264',
  '-profile:v',
  'high',
  '-level:v',
  '4.1',
  '-preset',
  'veryfast',
  '-crf',
  '21',
  '-maxrate',
  '16M',
  '-bufsize',
  '16M',
  '-bf',
  '0',
  '-g',
  String(2 * FPS),
  '-pix_fmt',
  'yuv420p',
  '-colorspace',
  'bt709',
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
  '-color_range',
  'tv',
  '-threads',
  THREADS,
  '-r',
  String(FPS),
  '-video_track_timescale',
  '15360',
];

export type SegmentOptions = {
  readonly folder: string;
  /** Relative to the folder. */
  readonly name: string;
  readonly previous: Layer | undefined;
  readonly isLast: boolean;
  readonly signal: AbortSignal;
};

/** Frames of the part that an item has alone, with the crossfade before it. */
export const getSegmentFrames = ({ frames }: FilmItem, isLast: boolean): number =>
  frames - (isLast ? 0 : FADE_FRAMES);

/** Renders the part of an item; its file appears when it is complete. Throws MediaError. */
export async function renderSegment(layer: Layer, options: SegmentOptions): Promise<void> {
  const { folder, name, previous, isLast, signal } = options;
  const frames = getSegmentFrames(layer.item, isLast);
  const current = buildLayer(layer, { index: previous ? 1 : 0, first: 0, count: frames });
  const tail =
    previous &&
    buildLayer(previous, {
      index: 0,
      first: previous.item.frames - FADE_FRAMES,
      count: FADE_FRAMES,
    });
  const fade = `[v0][v1]xfade=transition=fade:duration=${FADE_FRAMES / FPS}:offset=0,format=yuv420p[v]`;
  const graph = [...(tail?.filters ?? []), ...current.filters, tail ? fade : '[v0]null[v]'];
  const output = join(folder, `${name}.part`);
  const command = [
    ...startFfmpeg(NICENESS),
    ...(tail?.input ?? []),
    ...current.input,
    '-filter_complex_threads',
    '1',
    '-filter_complex',
    graph.join(';'),
    '-map',
    '[v]',
    ...ENCODING,
    '-frames:v',
    String(frames),
    '-map_metadata',
    '-1',
    '-f',
    'mp4',
    `file:${output}`,
  ];
  await withDecodeMemory(getDecodeMemory(layer, previous), signal, () =>
    runFfmpeg(command, {
      folder,
      inputs: [layer.path, ...(previous ? [previous.path] : [])],
      signal,
    }),
  );
  await syncPath(output);
  await rename(output, join(folder, name));
}

const getDecodeMemory = (...layers: readonly (Layer | undefined)[]): number =>
  Math.max(
    0,
    ...layers.map((layer) =>
      layer?.probe?.video ? buildDecodeArguments(layer.probe.video).memory : 0,
    ),
  );

type FfmpegOptions = {
  /** Work folder: names in the command are relative to it. */
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly signal: AbortSignal;
};

/** Runs ffmpeg in the work folder. Throws MediaError. */
export async function runFfmpeg(
  command: readonly string[],
  { folder, inputs, signal }: FfmpegOptions,
): Promise<void> {
  const { code, stderr } = await runTool(command, {
    ...LIMITS,
    cwd: folder,
    files: { read: [folder, ...inputs], write: [folder] },
    output: join(folder, 'any'),
    signal,
  });
  if (code !== 0) throw broken(`ffmpeg: ${getLastLine(stderr) || `exit ${code}`}`);
}
