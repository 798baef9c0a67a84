import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { withDecodeMemory } from './decode-memory.ts';
import { broken, unsupported } from './errors.ts';
import { fitInside } from './sizes.ts';
import { buildDecodeArguments, SAFE_INPUT, FFMPEG, type VideoStream, probe } from './probe.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { SAMPLE, SAMPLE_BYTES, type Sample, toSample } from './scene-samples.ts';
import { detectScenes, type Scene } from './scenes.ts';
import { buildSdrFilters } from './tonemap.ts';

const GIB = 1024 ** 3;
const SHARED_LIMITS = { memoryBytes: 4 * GIB, dataBytes: GIB, nice: 15 };
const LOOK_LIMITS = { timeoutMs: 15 * 60_000, cpuSeconds: 900, ...SHARED_LIMITS };
const GRAB_LIMITS = { timeoutMs: 60_000, cpuSeconds: 60, ...SHARED_LIMITS };

/** More would not be told apart on a strip of pictures. */
const MAX_SAMPLES = 600;
const SAMPLES_PER_SECOND = 4;
/** Longer videos are sampled by key frames only, one every second or two. */
const FULLY_DECODED_MS = 60_000;
/** Size of frames in pixels: enough for the models and half a screen. */
const FRAME_SIZE = { short: 720, long: 2160 };

export type FrameOptions = {
  readonly tempDir: string;
  readonly signal?: AbortSignal | undefined;
};

/** The scenes of a video, at most 24, in the order of time. Throws MediaError. */
export async function findScenes(path: string, options: FrameOptions): Promise<Scene[]> {
  const found = await probe(path, options);
  if (!found.video) throw unsupported('There is no picture in this file');
  const durationMs = Math.max(1, found.durationMs ?? 1);
  const samples = await takeSamples(path, found.video, { ...options, durationMs });
  return detectScenes(samples, durationMs);
}

async function takeSamples(
  path: string,
  video: VideoStream,
  { durationMs, tempDir, signal }: FrameOptions & { readonly durationMs: number },
): Promise<Sample[]> {
  const rate = Math.min(SAMPLES_PER_SECOND, (MAX_SAMPLES * 1000) / durationMs);
  const skipping = durationMs > FULLY_DECODED_MS ? ['-skip_frame', 'nokey'] : [];
  const { width, height } = SAMPLE;
  const filters = [`fps=${rate.toFixed(6)}`, `scale=${width}:${height}:flags=area`];
  const raw = join(tempDir, `${randomUUID()}.rgb`);
  const { threads, memory } = buildDecodeArguments(video);
  const input = [...threads, ...skipping, ...SAFE_INPUT, '-i', `file:${path}`];
  const picking = ['-map', `0:${video.index}`, '-vf', filters.join(','), '-pix_fmt', 'rgb24'];
  // A file without an end, or one that lies about it, ends here.
  const ending = ['-frames:v', String(MAX_SAMPLES + 10), '-c:v', 'rawvideo', '-f', 'rawvideo'];
  try {
    const command = [...FFMPEG, ...input, ...picking, ...ending, `file:${raw}`];
    const { stderr } = await withDecodeMemory(memory, signal, () =>
      runTool(command, { ...LOOK_LIMITS, output: raw, signal }),
    );
    const size = await stat(raw).then(
      (info) => info.size,
      () => 0,
    );
    if (size < SAMPLE_BYTES) throw broken(`ffmpeg: ${getLastLine(stderr) || 'no frame'}`);
    const bytes = await Bun.file(raw).bytes();
    const count = Math.floor(size / SAMPLE_BYTES);
    return Array.from({ length: count }, (_, at) =>
      toSample(
        bytes.subarray(at * SAMPLE_BYTES, (at + 1) * SAMPLE_BYTES),
        Math.min(durationMs, Math.round((at * 1000) / rate)),
      ),
    );
  } finally {
    await rm(raw, { force: true });
  }
}

/** One frame as a JPEG in `target`, upright and in sRGB; false: there is none at that time. */
export async function grabFrame(
  path: string,
  target: string,
  {
    atMs,
    video,
    signal,
  }: {
    readonly atMs: number;
    readonly video: VideoStream;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<boolean> {
  const size = fitInside(video, FRAME_SIZE);
  const filters = [
    ...(video.isInterlaced ? ['yadif'] : []),
    `scale=${size.width}:${size.height}`,
    ...buildSdrFilters(video.color),
  ];
  const start = (atMs / 1000).toFixed(3);
  const { threads, memory } = buildDecodeArguments(video);
  const input = ['-ss', start, ...threads, ...SAFE_INPUT, '-i', `file:${path}`];
  const picking = ['-map', `0:${video.index}`, '-frames:v', '1', '-vf', filters.join(',')];
  const coding = ['-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-q:v', '3', '-map_metadata', '-1'];
  const output = ['-f', 'image2', '-update', '1', `file:${target}`];
  const command = [...FFMPEG, ...input, ...picking, ...coding, ...output];
  await withDecodeMemory(memory, signal, () =>
    runTool(command, { ...GRAB_LIMITS, output: target, signal }),
  );
  return Bun.file(target).exists();
}
