import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import {
  probe,
  type AudioStream,
  buildDecodeArguments,
  FFMPEG,
  SAFE_INPUT,
  type VideoStream,
} from '../../../media/probe.ts';
import { findOriginal } from '../../assets/index.ts';
import { getStripPath, type Overview, readOverview, writeOverview } from './files.ts';
import type { makeOverview } from './jobs.ts';
import { openSound } from '../../../media/sound.ts';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { broken } from '../../../media/errors.ts';
import { getLastLine, runTool } from '../../../media/tool-process.ts';
import { buildSdrFilters, toMatrixOption } from '../../../media/tonemap.ts';

export const handleMakeOverview: JobHandler<typeof makeOverview> = async (ctx, { sha256 }) => {
  const { paths, signal } = ctx;
  await using original = await findOriginal(ctx, sha256);
  if (!original || (await readOverview(paths, sha256))) return;
  const orNull = createOrNull(ctx, original.path);
  const media = await orNull(probe(original.path, { signal }));
  const { video, audio, durationMs = 0 } = media ?? {};
  const file = { path: original.path, durationMs, signal };
  const overview: Overview = {
    strip: video
      ? await orNull(writeStrip({ ...file, video, output: getStripPath(paths, sha256) }))
      : null,
    waveform: audio ? await orNull(measurePeaks({ ...file, audio })) : null,
  };
  await writeOverview(paths, sha256, overview);
};

/** Returns a function that returns null for what another attempt would not read either. */
const createOrNull =
  (ctx: JobCtx, path: string) =>
  async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (await isVerdict(ctx, error, path)) return null;
      throw error;
    }
  };

/** Samples per second that are looked at. */
const RATE = 4000;
const MOST_PEAKS_PER_SECOND = 20;
const MOST_PEAKS = 20_000;
const FULL_SCALE = 32_768;

type SoundFile = {
  readonly path: string;
  readonly audio: AudioStream;
  readonly durationMs: number;
  readonly signal: AbortSignal;
};

/** Measures how loud a sound is over its time. Throws MediaError. */
async function measurePeaks({
  path,
  audio,
  durationMs,
  signal,
}: SoundFile): Promise<NonNullable<Overview['waveform']>> {
  const seconds = Math.max(1, durationMs / 1000);
  const samplesPerPeak = Math.ceil(RATE / Math.min(MOST_PEAKS_PER_SECOND, MOST_PEAKS / seconds));
  const sound = openSound(path, { audio, fromMs: 0, maxMs: durationMs + 1000, rate: RATE, signal });
  const peaks: number[] = [];
  try {
    for (;;) {
      const samples = await sound.read(samplesPerPeak);
      if (samples.length === 0) break;
      const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      peaks.push(Math.min(255, Math.round((loudest * 255) / FULL_SCALE)));
    }
  } finally {
    await sound.close();
  }
  return { peaksPerSecond: RATE / samplesPerPeak, peaks };
}

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
async function writeStrip({
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
