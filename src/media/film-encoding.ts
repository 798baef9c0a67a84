import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireRational } from '../core/rational.ts';
import { type Encoder, SOFTWARE } from './encoders.ts';
import { broken } from './errors.ts';
import { syncPath } from './file-placement.ts';
import { FFMPEG } from './probe.ts';
import { getLastLine, runTool, type ToolResult } from './tool-process.ts';

// Parts of a film are encoded alike, so that they are joined without being encoded again.

const MIB = 1024 ** 2;
const LIMITS = {
  timeoutMs: 9 * 60_000,
  cpuSeconds: 900,
  memoryBytes: 4096 * MIB,
  dataBytes: 600 * MIB,
  nice: 15,
};

/** The hardware failed, or an item: the film is made again by software. */
export class HardwareFailed extends Error {
  override readonly name = 'HardwareFailed';
}

/** The rate of all sounds, which are raw samples of 16 bits until they are joined with the pictures. */
export const SAMPLE_RATE = 48_000;
export const CHANNELS = 2;

const KEY_FRAME_SECONDS = 2;
const LEAST_UNITS = 10_000;
const MOST_UNITS = 1_000_000;

/** Returns units in a second, so that every frame of a usual rate in lowest terms begins at a whole one. */
export const getTimescale = ({ numerator }: WireRational): number =>
  numerator > MOST_UNITS ? 90_000 : numerator * Math.ceil(LEAST_UNITS / numerator);

/**
 * Returns the options that encode the pictures of all parts of a film alike. Without B-frames, times of
 * parts follow each other exactly. `software` replaces the options of that encoder.
 */
export function buildFilmCoding(
  { name, isHardware, options }: Encoder,
  rate: WireRational,
  software: readonly string[],
): readonly string[] {
  const perSecond = rate.numerator / rate.denominator;
  return [
    '-c:v',
    name,
    ...(isHardware ? options : software),
    ...`-bf 0 -g ${Math.max(1, Math.round(KEY_FRAME_SECONDS * perSecond))}`.split(' '),
    ...`-r ${rate.numerator}/${rate.denominator} -video_track_timescale ${getTimescale(rate)}`.split(
      ' ',
    ),
    ...'-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv'.split(' '),
  ];
}

type ToolWork = {
  /** Work folder: names in the command are relative to it, and it may use every file. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly limits?: Partial<typeof LIMITS>;
  readonly onStdout?: (text: string) => void;
};

export type FilmFrames = {
  /** Files that are read, beside those of the work folder. */
  readonly files: readonly string[];
  readonly input: readonly string[];
  /** Ends in `[v]`. */
  readonly graph: readonly string[];
};

type FilmPart = ToolWork & {
  readonly name: string;
  readonly count: number;
  readonly coding: readonly string[];
  /** Undefined: raw frames. */
  readonly encoder?: Encoder;
  /** Gets the frames that are written. */
  readonly onFrames?: (frames: number) => void;
};

/**
 * Writes the frames of a graph; the file appears when it is complete. Throws MediaError, 'broken' too if
 * there are fewer frames than there should be, or HardwareFailed.
 */
export async function writeFilmPart(
  { files, input, graph }: FilmFrames,
  { name, count, coding, encoder = SOFTWARE, onFrames, ...work }: FilmPart,
): Promise<void> {
  const { folder, signal } = work;
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
    '-filter_complex',
    [...graph, ...upload].join(';'),
    '-map',
    isHardware ? '[encoded]' : '[v]',
    ...coding,
    '-frames:v',
    String(count),
    `file:${path}`,
  ];
  let made = 0;
  let rest = '';
  const onStdout = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) made = Number(/^frame=\s*(\d+)/.exec(line)?.[1] ?? made);
    onFrames?.(made);
  };
  try {
    await runFilmTool(command, { ...work, inputs: files, isHardware, onStdout });
    if (made !== count) throw broken(`ffmpeg: ${made} of ${count} pictures`);
  } catch (error) {
    if (!isHardware || signal.aborted) throw error;
    throw new HardwareFailed(`${encoder.name}: ${(error as Error).message}`);
  }
  await syncPath(path);
  await rename(path, join(folder, name));
}

export type JoinedParts = Omit<ToolWork, 'onStdout'> & {
  /** Names of the pictures in order. */
  readonly names: readonly string[];
  /** More options of the pictures, which are copied. */
  readonly coding?: readonly string[];
  /** Name of the raw samples, as long as the pictures, and the bitrate that they get; undefined: silent. */
  readonly sound: { readonly name: string; readonly bitrate: string } | undefined;
  readonly title: string;
  readonly createdAt: Date;
};

/** Joins parts into a file of the work folder, with its index at the front, and returns it. Throws MediaError. */
export async function joinFilmParts(parts: JoinedParts): Promise<string> {
  const { names, coding = [], sound, title, createdAt, ...work } = parts;
  const { folder } = work;
  await Bun.write(join(folder, 'parts.txt'), names.map((name) => `file ${name}\n`).join(''));
  const output = join(folder, 'film.part');
  const command = [
    ...FFMPEG,
    ...'-protocol_whitelist file -f concat -i parts.txt'.split(' '),
    ...(sound ? `-f s16le -ar ${SAMPLE_RATE} -ac ${CHANNELS} -i ${sound.name}`.split(' ') : []),
    ...(sound ? '-map 0:v -map 1:a' : '-map 0:v').split(' '),
    '-c:v',
    'copy',
    ...coding,
    ...(sound ? `-c:a aac -b:a ${sound.bitrate}`.split(' ') : []),
    '-map_metadata',
    '-1',
    '-metadata',
    `title=${title.replaceAll('\0', '')}`,
    '-metadata',
    `creation_time=${createdAt.toISOString()}`,
    ...'-movflags +faststart -f mp4'.split(' '),
    `file:${output}`,
  ];
  await runFilmTool(command, { ...work, inputs: [] });
  await syncPath(output);
  return output;
}

/** Runs ffmpeg in the work folder. Throws MediaError. */
export async function runFilmTool(
  command: readonly string[],
  {
    folder,
    inputs,
    isHardware = false,
    signal,
    limits = {},
    onStdout,
  }: ToolWork & {
    readonly inputs: readonly string[];
    /** Drivers of a GPU map far more memory than they use. */
    readonly isHardware?: boolean;
  },
): Promise<ToolResult> {
  const { memoryBytes, dataBytes, ...others } = { ...LIMITS, ...limits };
  const result = await runTool(command, {
    ...others,
    ...(isHardware ? { usesGpu: true } : { memoryBytes, dataBytes }),
    cwd: folder,
    files: { read: [folder, ...inputs], write: [folder] },
    output: join(folder, 'any'),
    signal,
    ...(onStdout && { onStdout }),
  });
  const { code, stderr } = result;
  if (code !== 0) throw broken(`ffmpeg: ${getLastLine(stderr) || `exit ${code}`}`);
  return result;
}
