import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { broken } from '../../../media/errors.ts';
import {
  buildDecodeArguments,
  FFMPEG,
  SAFE_INPUT,
  type VideoStream,
} from '../../../media/probe.ts';
import { getLastLine, runTool } from '../../../media/tool-process.ts';
import { buildSdrFilters, toMatrixOption } from '../../../media/tonemap.ts';
import type { Overview } from './files.ts';

const MIB = 1024 ** 2;
const LIMITS = {
  nice: 15,
  timeoutMs: 10 * 60_000,
  cpuSeconds: 600,
  memoryBytes: 4096 * MIB,
  dataBytes: 1200 * MIB,
};
const HEIGHT = 72;
/** So wide a frame is at most, by its height. */
const WIDEST = 4;
const MOST_FRAMES = 100;
const LEAST_SECONDS = 0.5;
/** A longer video is decoded at its key frames only. */
const WHOLLY_DECODED_MS = 60_000;

type VideoFile = {
  readonly path: string;
  readonly video: VideoStream;
  readonly durationMs: number;
  /** The picture that is written. */
  readonly output: string;
  readonly signal: AbortSignal;
};

/** Writes frames of a video side by side. Throws MediaError. */
export async function writeStrip({
  path,
  video,
  durationMs,
  output,
  signal,
}: VideoFile): Promise<NonNullable<Overview['strip']>> {
  const seconds = Math.max(durationMs / 1000, LEAST_SECONDS);
  const secondsPerFrame = Math.max(LEAST_SECONDS, seconds / MOST_FRAMES);
  const frames = Math.min(MOST_FRAMES, Math.ceil(seconds / secondsPerFrame - 1e-6));
  const shape = Math.min(WIDEST, video.width / video.height);
  const [width, height] = [Math.max(2, Math.round((HEIGHT * shape) / 2) * 2), HEIGHT];
  const sdr = buildSdrFilters(video.color);
  const filters = [
    // The last one stays: the picture is as wide as is said.
    `fps=1/${secondsPerFrame}:start_time=0:round=up,tpad=stop=${frames}:stop_mode=clone`,
    ...sdr,
    `scale=${width}:${height}${sdr.length > 0 ? '' : toMatrixOption(video.color, video)}`,
    `tile=${frames}x1`,
  ];
  await mkdir(dirname(output), { recursive: true });
  const part = `${output}.${Bun.randomUUIDv7()}`;
  const { code, stderr } = await runTool(
    [
      ...FFMPEG,
      ...(durationMs > WHOLLY_DECODED_MS ? ['-skip_frame', 'nokey'] : []),
      ...buildDecodeArguments(video).threads,
      ...SAFE_INPUT,
      '-i',
      `file:${path}`,
      '-map',
      `0:${video.index}`,
      '-vf',
      filters.join(','),
      '-frames:v',
      '1',
      ...'-pix_fmt yuvj420p -c:v mjpeg -q:v 5 -map_metadata -1 -f image2 -update 1'.split(' '),
      `file:${part}`,
    ],
    { ...LIMITS, output: part, signal },
  );
  if (code !== 0 || !(await Bun.file(part).exists())) {
    await rm(part, { force: true });
    throw broken(`ffmpeg: ${getLastLine(stderr) || `exit ${code}`}`);
  }
  await rename(part, output);
  return { frames, secondsPerFrame, width, height };
}
