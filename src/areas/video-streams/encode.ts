import { availableParallelism } from 'node:os';
import type { Encoder } from '../../media/encoders.ts';
import { TIMES_INPUT } from '../../media/frame-times.ts';
import { buildDecodeArguments, FFMPEG, SAFE_INPUT, type VideoStream } from '../../media/probe.ts';
import type { ToolChild } from '../../media/tool-child.ts';
import { spawnTool } from '../../media/tool-process.ts';
import { buildVideoFilters, COPY_OPTIONS, DROPPED, SDR_COLORS } from '../../media/transcode.ts';
import type { VideoSettings } from '../../media/video-settings.ts';
import { BEFORE_SECONDS, type Segment } from './segments.ts';
import type { Variant } from './variants.ts';
import type { VideoSource } from './video.ts';

/** A video, and where the segments of a variant of it begin. */
export type EncodeSource = Pick<VideoSource, 'path' | 'probe' | 'isTimed'> & {
  readonly segments: readonly Segment[];
};

const MEMORY_BYTES = 6 * 1024 ** 3;
/** A film of hours, with pauses, on all cores. */
const CPU_SECONDS = 24 * 3600;

/** Which encoder writes which segments. */
export type EncodeOptions = {
  readonly from: number;
  readonly encoder: Encoder;
  readonly settings: VideoSettings;
};

/**
 * Starts a confined ffmpeg that writes the segments from number `from` on to its standard output, as a fragmented MP4
 * with a fragment for each key frame, whose times begin at CLOCK_SECONDS. It waits while nobody reads.
 */
export function spawnEncoder(
  source: EncodeSource,
  variant: Variant,
  options: EncodeOptions,
): ToolChild {
  const { path, probe, isTimed } = source;
  const { video, audio } = probe;
  if (!video) throw new Error('There are no pictures to stream');
  const { encoder } = options;
  const { threads } = buildDecodeArguments(video);
  const input = [
    ...(isTimed ? [] : TIMES_INPUT),
    ...seek(source, variant, options),
    '-i',
    `file:${path}`,
  ];
  const streams = ['-map', `0:${video.index}`, ...(audio ? ['-map', `0:${audio.index}`] : [])];
  const command = [
    ...FFMPEG,
    ...encoder.device,
    ...threads,
    ...SAFE_INPUT,
    ...input,
    ...SAME_TIMES,
    ...streams,
    ...DROPPED,
    ...(variant.kind === 'original'
      ? [...FROM_SEEK, '-c:v', 'copy', ...(COPY_OPTIONS[video.codec] ?? [])]
      : codeVideo(source, variant, video, options)),
    ...(audio ? codeSound(source, variant, options) : []),
    ...OUTPUT,
  ];
  return spawnTool(
    command,
    {
      files: { read: [path], write: [] },
      cpuSeconds: CPU_SECONDS,
      ...(encoder.isHardware ? { usesGpu: true } : { memoryBytes: MEMORY_BYTES }),
    },
    { stdin: 'ignore', stderr: 'pipe' },
  );
}

function seek({ segments }: EncodeSource, { kind }: Variant, { from }: EncodeOptions): string[] {
  const seconds = segments[from]?.seekSeconds ?? 0;
  // ffmpeg would drop the frame that it is told to seek to, or decode a whole group of frames before it.
  const accuracy = kind === 'encoded' ? ['-noaccurate_seek'] : [];
  return from === 0 ? [] : [...accuracy, '-ss', seconds.toFixed(6)];
}

/** Returns the filters that drop what is decoded before the first segment. */
function dropBefore(
  { segments }: EncodeSource,
  { from }: EncodeOptions,
  filter: 'trim' | 'atrim',
): readonly string[] {
  const start = (segments[from]?.start ?? 0) - BEFORE_SECONDS;
  return from === 0 ? [] : [`${filter}=start=${start.toFixed(6)}`];
}

/** Returns the filters that show the first frame from the start of the sound on. */
function holdFirst({ segments }: EncodeSource, { from }: EncodeOptions): readonly string[] {
  const held = from === 0 ? segments[0]?.heldSeconds : undefined;
  return held === undefined
    ? []
    : [`setpts=PTS-${held}/TB,tpad=start_mode=clone:start_duration=${held}`];
}

/** No frame depends on a later one, and key frames are where segments begin, and nowhere else. */
function codeVideo(
  source: EncodeSource,
  variant: Extract<Variant, { kind: 'encoded' }>,
  video: VideoStream,
  options: EncodeOptions,
): readonly string[] {
  const { maxBitrate, level } = variant;
  const { encoder } = options;
  const { tonemap } = options.settings;
  const later = source.segments.slice(options.from + 1);
  // A little earlier: to ffmpeg 7 a frame that rounding has put before the time is not the one.
  const keys = later.map(({ start }) => (start - BEFORE_SECONDS).toFixed(6)).join(',');
  const shown = buildVideoFilters(video, encoder, { ...variant, tonemap });
  const filters = [
    '-vf',
    [...dropBefore(source, options, 'trim'), ...holdFirst(source, options), shown].join(','),
  ];
  const coding = ['-c:v', encoder.name, ...encoder.options, ...FORCED_KEYS[encoder.name]];
  const threads = ['-threads', String(Math.min(4, availableParallelism()))];
  const rate = ['-maxrate', String(maxBitrate), '-bufsize', String(2 * maxBitrate)];
  const structure = ['-level', (level / 10).toFixed(1), '-bf', '0', '-g', '100000'];
  const forced = keys ? ['-force_key_frames', keys] : [];
  const colors = video.isHdr && tonemap !== 'disabled' ? SDR_COLORS : [];
  return [
    ...filters,
    ...coding,
    ...threads,
    ...rate,
    ...structure,
    ...forced,
    ...colors,
    ...EACH_FRAME_ONCE,
  ];
}

/** Without it, copying begins where the seek has landed. */
const FROM_SEEK = ['-copypriorss', '0'];

/** Packets before the first sound are left out: the encoder begins with silence, a file with what its decoder needs. */
function codeSound(
  source: EncodeSource,
  variant: Variant,
  options: EncodeOptions,
): readonly string[] {
  if (variant.kind === 'original' && variant.isSoundCopied)
    return ['-c:a', 'copy', '-bsf:a', 'noise=drop=lt(pts\\,0)'];
  const filters = variant.kind === 'encoded' ? dropBefore(source, options, 'atrim') : [];
  return [...filters.flatMap((filter) => ['-af', filter]), ...AAC];
}

const AAC = '-c:a aac -b:a 160k -ac 2 -ar 48000 -bsf:a noise=drop=not(n)'.split(' ');

/** The time of the stream at that of the file; frames that are shown at its start are decoded before. */
export const CLOCK_SECONDS = 10;
const SAME_TIMES = ['-copyts', '-avoid_negative_ts', 'disabled'];
/** Repeated times are dropped; the clock is that of the file. */
const EACH_FRAME_ONCE = ['-fps_mode', 'vfr', '-enc_time_base', '-1'];
const FLAGS = 'frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer';
const MUXING = ['-max_muxing_queue_size', '4096', '-use_editlist', '0', '-flush_packets', '1'];
const CLOCK = ['-output_ts_offset', String(CLOCK_SECONDS)];
const OUTPUT = [...CLOCK, ...MUXING, '-movflags', FLAGS, '-f', 'mp4', 'pipe:1'];

/** Options by which an encoder makes key frames where it is told to, and only there. */
const FORCED_KEYS: Readonly<Record<Encoder['name'], readonly string[]>> = {
  libx264: ['-sc_threshold', '0', '-forced-idr', '1'],
  h264_nvenc: ['-no-scenecut', '1', '-forced-idr', '1'],
  h264_qsv: ['-forced_idr', '1'],
  h264_vaapi: [],
  libx265: [],
  'libvpx-vp9': [],
  libsvtav1: [],
};
