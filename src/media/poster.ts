import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { withDecodeMemory } from './decode-memory.ts';
import { broken, unsupported } from './errors.ts';
import { renderImage } from './images.ts';
import {
  DEFAULT_OUTPUTS,
  fitInside,
  getPreviewBounds,
  type ImageOutputs,
  type RenderedImage,
} from './sizes.ts';
import {
  buildDecodeArguments,
  FFMPEG,
  type MediaProbe,
  SAFE_INPUT,
  type VideoStream,
  probe,
} from './probe.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { buildSdrFilters } from './tonemap.ts';

const GIB = 1024 ** 3;
const POSTER_LIMITS = {
  timeoutMs: 120_000,
  cpuSeconds: 120,
  memoryBytes: 4 * GIB,
  dataBytes: GIB,
  nice: 10,
};

/** Most fades from black are over by then. */
const POSTER_SECONDS = 3;
/** The filter picks the frame nearest to the mean of so many: not the black or blurred one. */
const POSTER_FRAMES = 12;

export type PosterOptions = {
  readonly tempDir: string;
  /** The frame at this time, where there is one, instead of a good one. */
  readonly atMs?: number | undefined;
  readonly outputs?: ImageOutputs | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Renders a poster from a good frame, upright, in sRGB. Throws MediaError, also for a sound file.
 */
export async function renderPoster(path: string, options: PosterOptions): Promise<RenderedImage> {
  const found = await probe(path, options);
  if (!found.video) throw unsupported('There is no picture in this file');
  const folder = await mkdtemp(join(options.tempDir, 'poster-'));
  try {
    return await pickBrightestFrame(path, found, found.video, folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first of the places that is not black; of black ones the least so. */
async function pickBrightestFrame(
  path: string,
  { durationMs = 0 }: MediaProbe,
  video: VideoStream,
  folder: string,
  options: PosterOptions,
): Promise<RenderedImage> {
  const seconds = durationMs / 1000;
  let best: { image: RenderedImage; light: number } | undefined;
  let failure = 'no frame';
  const { atMs } = options;
  const chosen = atMs === undefined ? [] : [atMs / 1000];
  const shares = [1 / 2, 1 / 4, 3 / 4, 19 / 20, 0].map((share) => seconds * share);
  const usual = [Math.min(POSTER_SECONDS, seconds / 10), ...shares];
  for (const start of [...chosen, ...usual]) {
    // The index of a damaged file points into nothing: another place may still be there.
    const frame = join(folder, `${start}.tiff`);
    const among = start === chosen[0] ? 1 : POSTER_FRAMES;
    const fault = await grabFrame(path, frame, video, { start, among }, options);
    if (fault !== undefined) {
      failure = fault;
      continue;
    }
    const image = await renderImage(frame, { ...options, fileName: 'frame.tiff' });
    const light = computeLight(image);
    if (!best || light > best.light) best = { image, light };
    if (light > BLACK || start === chosen[0]) break;
  }
  if (!best) throw broken(failure);
  return { ...best.image, width: video.width, height: video.height };
}

/** 0 to 1; a picture of stars on black sky is above the limit, a black frame below. */
const BLACK = 0.04;

function computeLight({ thumbhash }: RenderedImage): number {
  const { r, g, b } = thumbHashToAverageRGBA(thumbhash);
  return Math.max(r, g, b);
}

/** Undefined when it worked, else what ffmpeg said. */
async function grabFrame(
  path: string,
  target: string,
  video: VideoStream,
  { start, among }: { readonly start: number; readonly among: number },
  { outputs = DEFAULT_OUTPUTS, signal }: PosterOptions,
): Promise<string | undefined> {
  const size = fitInside(video, getPreviewBounds(outputs));
  const filters = [
    ...(video.isInterlaced ? ['yadif'] : []),
    // First: the frames to choose from lie in memory.
    `scale=${size.width}:${size.height}`,
    ...(among > 1 ? [`thumbnail=n=${among}`] : []),
    ...buildSdrFilters(video.color),
  ];
  const { threads, memory } = buildDecodeArguments(video);
  const input = ['-ss', start.toFixed(3), ...threads, ...SAFE_INPUT, '-i', `file:${path}`];
  const picking = ['-map', `0:${video.index}`, '-frames:v', '1', '-vf', filters.join(',')];
  const output = ['-pix_fmt', 'rgb24', '-c:v', 'tiff', '-compression_algo', 'raw'];
  const file = ['-f', 'image2', '-update', '1', `file:${target}`];
  const { stderr } = await withDecodeMemory(memory, signal, () =>
    runTool([...FFMPEG, ...input, ...picking, ...output, ...file], {
      ...POSTER_LIMITS,
      output: target,
      signal,
    }),
  );
  return (await Bun.file(target).exists()) ? undefined : `ffmpeg: ${getLastLine(stderr)}`;
}
