import { rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type Encoder, SOFTWARE, probeEncoders } from './encoders.ts';
import { broken, unsupported } from './errors.ts';
import { videoFault } from './playable.ts';
import {
  buildDecodeArguments,
  type MediaProbe,
  SAFE_INPUT,
  startFfmpeg,
  type VideoStream,
} from './probe.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { buildSdrFilters } from './tonemap.ts';

const GIB = 1024 ** 3;

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
  const command = [...startFfmpeg(10), ...progress, ...input, ...streams, ...dropped];
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
