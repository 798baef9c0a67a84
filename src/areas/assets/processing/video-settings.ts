import type { Db } from '../../../db/client.ts';
import {
  DEFAULT_VIDEO_SETTINGS,
  type Preset,
  type VideoSettings,
} from '../../../media/video-settings.ts';
import { type AdminConfig, DEFAULTS, readRecentConfig } from '../../system-config/index.ts';

type FFmpegConfig = AdminConfig['ffmpeg'];

/** Returns how videos are transcoded. What is Immich's default leaves our own choice. */
export async function readVideoSettings(db: Db): Promise<VideoSettings> {
  const { ffmpeg } = await readRecentConfig(db);
  const unlessDefault = <K extends keyof FFmpegConfig, T>(
    name: K,
    own: T,
    convert: (value: FFmpegConfig[K]) => T,
  ): T => (ffmpeg[name] === DEFAULTS.ffmpeg[name] ? own : convert(ffmpeg[name]));
  const own = DEFAULT_VIDEO_SETTINGS;
  return {
    policy: ffmpeg.transcode,
    acceptedVideoCodecs: ffmpeg.acceptedVideoCodecs,
    acceptedAudioCodecs: ffmpeg.acceptedAudioCodecs,
    acceptedContainers: ffmpeg.acceptedContainers,
    codec: ffmpeg.targetVideoCodec,
    audioCodec: ffmpeg.targetAudioCodec === 'pcm_s16le' ? own.audioCodec : ffmpeg.targetAudioCodec,
    crf: ffmpeg.crf,
    preset: unlessDefault('preset', own.preset, (preset) => preset as Preset),
    threads: unlessDefault('threads', own.threads, (threads) => Math.min(threads, MAX_THREADS)),
    maxShortSide: unlessDefault('targetResolution', own.maxShortSide, (lines) =>
      lines === 'original' ? Infinity : Number(lines),
    ),
    maxBitrate: parseBitrate(ffmpeg.maxBitrate),
    isTwoPass: ffmpeg.twoPass,
    tonemap: ffmpeg.tonemap,
    bFrames: unlessDefault('bframes', own.bFrames, Number),
    references: unlessDefault('refs', own.references, Number),
    keyFrameInterval: unlessDefault('gopSize', own.keyFrameInterval, Number),
    acceleration: unlessDefault('accel', own.acceleration, (accel) =>
      accel === 'rkmpp' || accel === 'disabled' ? 'auto' : accel,
    ),
  };
}

const MAX_THREADS = 16;
const UNITS = { k: 1000, m: 1_000_000 };

/** '4500', '4500k' or '4.5M' in bits per second; undefined for 0. */
function parseBitrate(text: string): number | undefined {
  const unit = text.slice(-1).toLowerCase();
  const factor = unit in UNITS ? UNITS[unit as keyof typeof UNITS] : UNITS.k;
  return Math.round(Number.parseFloat(text) * factor) || undefined;
}
