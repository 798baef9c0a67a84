import { mkdtemp, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { withDecodeMemory } from './decode-memory.ts';
import { type Encoder, SOFTWARE, probeEncoders } from './encoders.ts';
import { broken, unsupported } from './errors.ts';
import { renderImage } from './images.ts';
import { PREVIEW, fitInside, type RenderedImage } from './sizes.ts';
import {
  buildDecodeArguments,
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
};

/** Most fades from black are over by then. */
const POSTER_SECONDS = 3;
/** The filter picks the frame nearest to the mean of so many: not the black or blurred one. */
const POSTER_FRAMES = 12;

export type PosterOptions = {
  readonly tempDir: string;
  /** The frame at this time, where there is one, instead of a good one. */
  readonly atMs?: number | undefined;
  readonly probe?: MediaProbe | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Renders a poster from a good frame, upright, in sRGB. Throws MediaError, also for a sound file.
 */
export async function renderPoster(path: string, options: PosterOptions): Promise<RenderedImage> {
  const found = options.probe ?? (await probe(path, options));
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
  const usual = [Math.min(POSTER_SECONDS, seconds / 10), seconds / 2, seconds / 4, 0];
  for (const start of [...chosen, ...usual]) {
    // The index of a damaged file points into nothing: another place may still be there.
    const frame = join(folder, `${start}.tiff`);
    const among = start === chosen[0] ? 1 : POSTER_FRAMES;
    const fault = await grabFrame(path, frame, video, { start, among }, options.signal);
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
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const size = fitInside(video, PREVIEW);
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

const FFMPEG = ['nice', '-n', '10', 'ffmpeg', '-nostdin', '-y', '-v', 'error'];

/** Beyond this a phone decodes with its processor, and a home line does not carry it. */
const MAX_PLAYABLE_SIDE = 1440;
const PLAYABLE_AUDIO = new Set(['aac', 'mp3', 'opus']);
const PLAYABLE_PIXELS = new Set(['yuv420p', 'yuvj420p']);

/** Returns why browsers cannot play the file; undefined when all can. */
export function needsTranscode(found: MediaProbe): string | undefined {
  const { video, audio } = found;
  if (!video) return undefined;
  return videoFault(video) ?? containerFault(found) ?? audioFault(audio?.codec);
}

function videoFault(video: VideoStream): string | undefined {
  if (video.codec !== 'h264') return `video codec ${video.codec}`;
  if (video.isHdr) return 'HDR';
  if (video.bitDepth > 8 || !PLAYABLE_PIXELS.has(video.pixelFormat ?? ''))
    return `pixel format ${video.pixelFormat}`;
  if (video.isInterlaced) return 'interlaced';
  const side = Math.min(video.width, video.height);
  return side > MAX_PLAYABLE_SIDE ? `${side} lines` : undefined;
}

const containerFault = ({ format }: MediaProbe) =>
  format.split(',').includes('mp4') ? undefined : `container ${format}`;

const audioFault = (codec: string | undefined) =>
  codec === undefined || PLAYABLE_AUDIO.has(codec) ? undefined : `audio codec ${codec}`;

export type TranscodeOptions = {
  readonly probe: MediaProbe;
  /** Default: the best that probeEncoders finds, with software behind it. */
  readonly encoder?: Encoder | undefined;
  /** 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxShortSide?: number;
  readonly threads?: number;
};

const MAX_SHORT_SIDE = 1080;
const SHORTEST_TIMEOUT_MS = 10 * 60_000;
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;
/** A small box encodes 4K HDR at a twentieth of its speed of play. */
const TIMEOUT_FACTOR = 30;

/**
 * Writes an MP4 that every browser plays: H.264 and AAC, 8 bit, upright, at most 1080 lines, SDR,
 * index at the front. `target` is created atomically. Throws MediaError, or the abort reason of
 * `signal`.
 */
export async function transcode(
  path: string,
  target: string,
  options: TranscodeOptions,
): Promise<{ encoder: Encoder['name'] | 'copy' }> {
  const { video } = options.probe;
  if (!video) throw unsupported('There is no picture in this file');
  const part = `${target}.part`;
  try {
    const encoder = await encodeInto(part, path, video, options);
    await rename(part, target);
    return { encoder };
  } finally {
    await rm(part, { force: true });
  }
}

async function encodeInto(
  part: string,
  path: string,
  video: VideoStream,
  options: TranscodeOptions,
): Promise<Encoder['name'] | 'copy'> {
  // Only the container or the sound is at fault. A turned picture is encoded, so that players which
  // ignore the turn show it upright.
  const copyable = !videoFault(video) && video.rotation === 0;
  const copying = ['-c:v', 'copy', ...STRIP_USER_DATA];
  if (copyable && !(await attempt(part, path, copying, [], options))) return 'copy';
  const first = options.encoder ?? (await probeEncoders())[0] ?? SOFTWARE;
  const candidates = first.isHardware ? [first, SOFTWARE] : [first];
  let failure: string | undefined;
  for (const encoder of candidates) {
    failure = await attempt(part, path, encodeArguments(video, encoder, options), encoder.device, {
      ...options,
      isHardware: encoder.isHardware,
    });
    if (failure === undefined) return encoder.name;
  }
  throw broken(`ffmpeg: ${failure}`);
}

/** Of H.264: dash cameras and camcorders write between the pictures where they are. */
export const STRIP_USER_DATA: readonly string[] = ['-bsf:v', 'filter_units=remove_types=6'];

/** Undefined when it worked, else what ffmpeg said. */
async function attempt(
  part: string,
  path: string,
  videoArguments: readonly string[],
  device: readonly string[],
  options: TranscodeOptions & { isHardware?: boolean },
): Promise<string | undefined> {
  const { video, audio, durationMs } = options.probe;
  const { threads, memory } = buildDecodeArguments(video!);
  // An encoder feeds on all cores; memory says more where it is short.
  const decoder = memory > 0 ? threads : [];
  const input = [...device, ...decoder, ...SAFE_INPUT, '-i', `file:${path}`];
  const streams = ['-map', `0:${video?.index}`, ...(audio ? ['-map', `0:${audio.index}`] : [])];
  // Chapters, subtitles and the place of recording stay in the original.
  const dropped = ['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'];
  const sound = audio ? soundArguments(audio.codec) : [];
  const format = ['-movflags', '+faststart', '-max_muxing_queue_size', '4096', '-f', 'mp4'];
  const progress = ['-progress', 'pipe:1', '-stats_period', '1'];
  const command = [...FFMPEG, ...progress, ...input, ...streams, ...dropped];
  const timeoutMs = timeoutFor(durationMs);
  const { code, stderr } = await runTool(
    [...command, ...videoArguments, ...sound, ...format, `file:${part}`],
    {
      timeoutMs,
      output: part,
      signal: options.signal,
      cpuSeconds: (timeoutMs / 1000) * availableParallelism(),
      // Drivers map all memory of the card into the process.
      ...(options.isHardware ? { usesGpu: true } : { memoryBytes: 6 * GIB }),
      onStdout: progressReader(durationMs, options.onProgress),
    },
  );
  return code === 0 ? undefined : getLastLine(stderr) || `exit ${code}`;
}

/** Returns the longest time in ms that `transcode` takes: it may try three ways. */
export const getTranscodeTimeout = (durationMs?: number): number => 3 * timeoutFor(durationMs);

const timeoutFor = (durationMs = 0) =>
  Math.min(LONGEST_TIMEOUT_MS, Math.max(SHORTEST_TIMEOUT_MS, durationMs * TIMEOUT_FACTOR));

const soundArguments = (codec: string) =>
  codec === 'aac' ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-b:a', '160k', '-ac', '2'];

function encodeArguments(
  video: VideoStream,
  encoder: Encoder,
  options: TranscodeOptions,
): readonly string[] {
  const { width, height } = evenSize(video, options.maxShortSide ?? MAX_SHORT_SIDE);
  const filters = [
    ...(video.isInterlaced ? ['yadif'] : []),
    // Before the tone mapping, which costs by the pixel.
    `scale=${width}:${height}:flags=bicubic`,
    'setsar=1',
    ...buildSdrFilters(video.color),
    ...encoder.filters,
  ];
  const colors = video.isHdr
    ? ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']
    : [];
  const threads = String(options.threads ?? Math.min(4, availableParallelism()));
  // A key frame every two seconds: players seek to them.
  const keyFrames = ['-force_key_frames', 'expr:gte(t,n_forced*2)'];
  const coding = ['-c:v', encoder.name, ...encoder.options, '-threads', threads];
  return ['-vf', filters.join(','), ...coding, ...colors, ...keyFrames];
}

/** H.264 in 4:2:0 counts pixels in pairs. */
function evenSize(video: VideoStream, maxShortSide: number) {
  const scale = Math.min(1, maxShortSide / Math.min(video.width, video.height));
  const even = (side: number) => Math.max(2, Math.round((side * scale) / 2) * 2);
  return { width: even(video.width), height: even(video.height) };
}

/** Lines of `key=value`; out_time_us is how far the output has come. */
function progressReader(
  durationMs: number | undefined,
  onProgress: ((share: number) => void) | undefined,
) {
  let rest = '';
  return (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (!onProgress || !durationMs) return;
    for (const line of lines) {
      const micros = Number(/^out_time_us=(\d+)$/.exec(line)?.[1]);
      if (Number.isFinite(micros)) onProgress(Math.min(1, micros / 1000 / durationMs));
    }
  };
}

export { probe };
