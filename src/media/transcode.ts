import { rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { requireValue } from '../core/required.ts';
import { type Encoder, HEVC_TAG, SOFTWARE, selectEncoders } from './encoders.ts';
import { broken, unsupported } from './errors.ts';
import { needsEncoding } from './playable.ts';
import {
  buildDecodeArguments,
  type MediaProbe,
  SAFE_INPUT,
  FFMPEG,
  type VideoStream,
} from './probe.ts';
import type { Size } from './sizes.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { buildSdrFilters } from './tonemap.ts';
import { DEFAULT_VIDEO_SETTINGS, type VideoSettings } from './video-settings.ts';

const GIB = 1024 ** 3;

export type TranscodeOptions = {
  readonly probe: MediaProbe;
  /** By default that of the settings, with software for H.264 behind it. */
  readonly encoder?: Encoder | undefined;
  /** 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly settings?: VideoSettings;
};

const SHORTEST_TIMEOUT_MS = 10 * 60_000;
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;
/** A small box encodes 4K HDR at a twentieth of its speed of play. */
const TIMEOUT_FACTOR = 30;

/**
 * Writes an MP4, by default one that every browser plays: H.264 and AAC, 8 bit, upright, at most 1080
 * lines, SDR, index at the front; of a sound file AAC alone. `target` is created atomically. Throws
 * MediaError, or the abort reason of `signal`.
 */
export async function transcode(
  path: string,
  target: string,
  options: TranscodeOptions,
): Promise<{ encoder: Encoder['name'] | 'copy' | 'aac' }> {
  const { video } = options.probe;
  const part = `${target}.part`;
  try {
    const encoder = video
      ? await encodeInto(part, path, video, options)
      : await encodeSound(part, path, options);
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
  const { settings = DEFAULT_VIDEO_SETTINGS } = options;
  const copyable = !needsEncoding(options.probe, settings) && video.rotation === 0;
  const copying = ['-c:v', 'copy', ...(COPY_OPTIONS[video.codec] ?? [])];
  if (copyable && !(await attempt(part, path, copying, [], options))) return 'copy';
  const { encoder } = options;
  const candidates = encoder
    ? [encoder, ...(encoder.isHardware ? [SOFTWARE] : [])]
    : await selectEncoders(settings);
  let failure: string | undefined;
  for (const encoder of candidates) {
    failure = await encode(part, path, video, encoder, options);
    if (failure === undefined) return encoder.name;
  }
  throw broken(`ffmpeg: ${failure}`);
}

/** Returns undefined when it worked, else what ffmpeg said. */
async function encode(
  part: string,
  path: string,
  video: VideoStream,
  encoder: Encoder,
  options: TranscodeOptions,
): Promise<string | undefined> {
  const { isHardware, device } = encoder;
  const coding = encodeArguments(video, encoder, options);
  const { isTwoPass, maxBitrate } = options.settings ?? DEFAULT_VIDEO_SETTINGS;
  if (!TWO_PASS_ENCODERS.has(encoder.name) || !isTwoPass || maxBitrate === undefined) {
    return attempt(part, path, coding, device, { ...options, isHardware });
  }
  const log = `${part}.pass`;
  const mean = String(Math.round(maxBitrate * MEAN_SHARE));
  const rate = ['-crf', '-1', '-b:v', mean, '-passlogfile', log];
  try {
    for (const pass of [1, 2] as const) {
      const passing = [...coding, ...rate, '-pass', String(pass)];
      const failure = await attempt(part, path, passing, device, { ...options, pass });
      if (failure !== undefined) return failure;
    }
    return undefined;
  } finally {
    await Promise.all(PASS_LOGS.map((ending) => rm(`${log}${ending}`, { force: true })));
  }
}

/** The mean, below the peak that the player has to buffer. */
const MEAN_SHARE = 0.7;
const PASS_LOGS = ['-0.log', '-0.log.mbtree'];
/** ffmpeg writes the log of the others nowhere. */
const TWO_PASS_ENCODERS: ReadonlySet<string> = new Set(['libx264', 'libvpx-vp9']);

/** User data of H.264 is removed: dash cameras and camcorders write between the pictures where they are. */
export const STRIP_USER_DATA: readonly string[] = ['-bsf:v', 'filter_units=remove_types=6'];
/** Options for a video stream that is copied into an MP4, by codec. */
export const COPY_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  h264: STRIP_USER_DATA,
  hevc: ['-bsf:v', 'filter_units=remove_types=39-40', ...HEVC_TAG],
};

/** Returns undefined when it worked, else what ffmpeg said. */
async function attempt(
  part: string,
  path: string,
  videoArguments: readonly string[],
  device: readonly string[],
  options: TranscodeOptions & { readonly isHardware?: boolean; readonly pass?: 1 | 2 },
): Promise<string | undefined> {
  const { audio } = options.probe;
  const video = requireValue(options.probe.video, 'video stream');
  const { threads, memory } = buildDecodeArguments(video);
  // An encoder feeds on all cores; memory says more where it is short.
  const decoder = memory > 0 ? threads : [];
  const input = [...device, ...decoder, ...SAFE_INPUT, '-i', `file:${path}`];
  const streams = ['-map', `0:${video.index}`, ...(audio ? ['-map', `0:${audio.index}`] : [])];
  const sound = audio ? soundArguments(audio.codec, options) : [];
  const output =
    options.pass === 1 ? ['-an', '-f', 'null', '-'] : [...sound, ...MP4, `file:${part}`];
  return run(part, [...input, ...streams, ...DROPPED, ...videoArguments, ...output], options);
}

/** Chapters, subtitles and the place of recording stay in the original. */
export const DROPPED: readonly string[] = [
  '-sn',
  '-dn',
  '-map_metadata',
  '-1',
  '-map_chapters',
  '-1',
];
const MP4 = ['-movflags', '+faststart', '-max_muxing_queue_size', '4096', '-f', 'mp4'];

/** A browser plays no other sound in as many places. */
async function encodeSound(part: string, path: string, options: TranscodeOptions): Promise<'aac'> {
  const { audio } = options.probe;
  if (!audio) throw unsupported('There is neither picture nor sound in this file');
  const input = [...SAFE_INPUT, '-i', `file:${path}`, '-map', `0:${audio.index}`];
  const channels = String(Math.min(2, audio.channels));
  const coding = ['-c:a', 'aac', '-b:a', '160k', '-ac', channels];
  const failure = await run(
    part,
    [...input, ...DROPPED, ...coding, ...MP4, `file:${part}`],
    options,
  );
  if (failure !== undefined) throw broken(`ffmpeg: ${failure}`);
  return 'aac';
}

/** Returns undefined when it worked, else what ffmpeg said. */
async function run(
  part: string,
  args: readonly string[],
  options: TranscodeOptions & { readonly isHardware?: boolean },
): Promise<string | undefined> {
  const { durationMs } = options.probe;
  const progress = ['-progress', 'pipe:1', '-stats_period', '1'];
  const timeoutMs = timeoutFor(durationMs);
  const { code, stderr } = await runTool([...FFMPEG, ...progress, ...args], {
    timeoutMs,
    output: part,
    signal: options.signal,
    cpuSeconds: (timeoutMs / 1000) * availableParallelism(),
    nice: 10,
    // Drivers map all memory of the card into the process.
    ...(options.isHardware ? { usesGpu: true } : { memoryBytes: 6 * GIB }),
    onStdout: progressReader(durationMs, options.onProgress),
  });
  return code === 0 ? undefined : getLastLine(stderr) || `exit ${code}`;
}

/** Returns the longest time in ms that `transcode` takes: copying, and two encoders of two passes. */
export const getTranscodeTimeout = (durationMs?: number): number => 5 * timeoutFor(durationMs);

const timeoutFor = (durationMs = 0) =>
  Math.min(LONGEST_TIMEOUT_MS, Math.max(SHORTEST_TIMEOUT_MS, durationMs * TIMEOUT_FACTOR));

function soundArguments(codec: string, { settings = DEFAULT_VIDEO_SETTINGS }: TranscodeOptions) {
  const { audioCodec } = settings;
  if (codec === audioCodec) return ['-c:a', 'copy'];
  return ['-c:a', SOUND_ENCODERS[audioCodec], '-b:a', '160k', '-ac', '2'];
}

const SOUND_ENCODERS = { aac: 'aac', mp3: 'libmp3lame', opus: 'libopus' } as const;

function encodeArguments(
  video: VideoStream,
  encoder: Encoder,
  options: TranscodeOptions,
): readonly string[] {
  const { settings = DEFAULT_VIDEO_SETTINGS } = options;
  const { tonemap, bFrames, references, keyFrameInterval } = settings;
  const size = evenSize(video, settings.maxShortSide);
  const filters = buildVideoFilters(video, encoder, { ...size, tonemap });
  const colors = video.isHdr && tonemap !== 'disabled' ? SDR_COLORS : [];
  const threads = String(settings.threads ?? Math.min(4, availableParallelism()));
  // A key frame every two seconds: players seek to them.
  const keyFrames =
    keyFrameInterval === undefined
      ? ['-force_key_frames', 'expr:gte(t,n_forced*2)']
      : ['-g', String(keyFrameInterval)];
  const structure = [
    ...(bFrames === undefined ? [] : ['-bf', String(bFrames)]),
    ...(references === undefined ? [] : ['-refs', String(references)]),
  ];
  const coding = ['-c:v', encoder.name, ...encoder.options, '-threads', threads, ...structure];
  // Each frame at its own time: phones record with a variable rate.
  return ['-vf', filters, '-fps_mode', 'vfr', ...coding, ...colors, ...keyFrames];
}

/** How the stream names the colours to which HDR was mapped. */
export const SDR_COLORS: readonly string[] =
  '-color_primaries bt709 -color_trc bt709 -colorspace bt709'.split(' ');

/** Returns the filter graph of ffmpeg to progressive pictures of this size, in SDR, for the encoder. */
export const buildVideoFilters = (
  video: VideoStream,
  encoder: Encoder,
  { width, height, tonemap }: Size & Pick<VideoSettings, 'tonemap'>,
): string =>
  [
    ...(video.isInterlaced ? ['yadif'] : []),
    // Before the tone mapping, which costs by the pixel. ffmpeg 7 would keep the full range of phones and cameras,
    // which some televisions take for the usual one.
    `scale=${width}:${height}:flags=bicubic:out_range=tv`,
    'setsar=1',
    ...buildSdrFilters(video.color, tonemap),
    ...encoder.filters,
  ].join(',');

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
