import { join } from 'node:path';
import type { WireRational } from '../../../../core/rational.ts';
import { getTimescale, runFilmTool } from '../../../../media/film-encoding.ts';
import { syncPath } from '../../../../media/file-placement.ts';
import { FFMPEG } from '../../../../media/probe.ts';
import type { Sound } from './sound.ts';

export type JoinedParts = {
  readonly folder: string;
  /** Pictures in order. */
  readonly names: readonly string[];
  readonly sound: Sound | undefined;
  readonly rate: WireRational;
  readonly title: string;
  readonly createdAt: Date;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

/** Joins pictures, which are copied, and sound into a file of the folder, with its index at the front. */
export async function joinParts(parts: JoinedParts): Promise<string> {
  const { folder, names, sound, rate, title, createdAt, signal, timeoutMs } = parts;
  await Bun.write(join(folder, 'parts.txt'), names.map((name) => `file ${name}\n`).join(''));
  const timescale = getTimescale(rate);
  // The list counts in microseconds, and frames lie at whole units.
  const units = (timescale * rate.denominator) / rate.numerator;
  const output = join(folder, 'film.part');
  const command = [
    ...FFMPEG,
    ...'-protocol_whitelist file -f concat -i parts.txt'.split(' '),
    ...(sound ? [...sound.input, '-map', '0:v', '-map', '1:a'] : ['-map', '0:v']),
    ...`-c:v copy -bsf:v setts=ts=round(N*${units}):duration=${Math.round(units)}`.split(' '),
    ...`-video_track_timescale ${timescale}`.split(' '),
    ...(sound ? '-c:a aac -b:a 192k'.split(' ') : []),
    '-map_metadata',
    '-1',
    '-metadata',
    `title=${title.replaceAll('\0', '')}`,
    '-metadata',
    `creation_time=${createdAt.toISOString()}`,
    ...'-movflags +faststart -f mp4'.split(' '),
    `file:${output}`,
  ];
  const limits = { timeoutMs, cpuSeconds: (2 * timeoutMs) / 1000 };
  await runFilmTool(command, { folder, inputs: [], signal, limits });
  await syncPath(output);
  return output;
}
