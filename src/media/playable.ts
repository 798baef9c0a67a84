import type { MediaProbe, VideoStream } from './probe.ts';
import { DEFAULT_VIDEO_SETTINGS, type VideoSettings } from './video-settings.ts';

/** Beyond this a phone decodes with its processor, and a home line does not carry it. */
const MAX_PLAYABLE_SIDE = 1440;
const PLAYABLE_PIXELS = new Set(['yuv420p', 'yuvj420p']);
/** The pixel formats of codecs that browsers play in ten bits. */
const DEEP_PIXELS = new Set([...PLAYABLE_PIXELS, 'yuv420p10le']);

/** Returns why the file is transcoded; undefined when it is played as it is. */
export function needsTranscode(
  found: MediaProbe,
  settings: VideoSettings = DEFAULT_VIDEO_SETTINGS,
): string | undefined {
  const { video, audio } = found;
  if (settings.policy === 'disabled') return undefined;
  if (!video) return audio && soundFault(found.format, audio.codec);
  return (
    needsEncoding(found, settings) ??
    containerFault(found, settings) ??
    audioFault(audio?.codec, settings) ??
    (found.isLater ? 'another stream comes first' : undefined)
  );
}

/** Codecs that every browser and phone plays, by ffmpeg's name for the container of a sound file. */
const PLAYABLE_SOUNDS: readonly (readonly [format: string, codecs: readonly string[]])[] = [
  ['mov', ['aac', 'mp3']],
  ['mp3', ['mp3']],
  ['aac', ['aac']],
  ['flac', ['flac']],
  ['wav', ['pcm_s16le', 'pcm_u8']],
];

function soundFault(format: string, codec: string): string | undefined {
  const names = format.split(',');
  const isPlayable = PLAYABLE_SOUNDS.some(
    ([name, codecs]) => names.includes(name) && codecs.includes(codec),
  );
  return isPlayable ? undefined : `sound ${codec} in ${format}`;
}

/** Returns why the picture has to be encoded; undefined when its stream is copied. */
export function needsEncoding(found: MediaProbe, settings: VideoSettings): string | undefined {
  const { video, bitRate = 0 } = found;
  if (!video) return undefined;
  if (settings.policy === 'all') return 'all videos are transcoded';
  const fault = videoFault(video, settings);
  if (fault !== undefined) return fault;
  const side = Math.min(video.width, video.height);
  if (settings.policy === 'optimal' && side > settings.maxShortSide) return `${side} lines`;
  return settings.policy === 'bitrate' && bitRate > (settings.maxBitrate ?? Infinity)
    ? `${bitRate} bits per second`
    : undefined;
}

/** Returns why the picture is not accepted. */
function videoFault(video: VideoStream, settings: VideoSettings): string | undefined {
  const { acceptedVideoCodecs, tonemap, maxShortSide } = settings;
  if (!acceptedVideoCodecs.includes(video.codec)) return `video codec ${video.codec}`;
  if (video.isHdr && tonemap !== 'disabled') return 'HDR';
  const isH264 = video.codec === 'h264';
  const pixels = isH264 ? PLAYABLE_PIXELS : DEEP_PIXELS;
  if ((isH264 && video.bitDepth > 8) || !pixels.has(video.pixelFormat ?? ''))
    return `pixel format ${video.pixelFormat}`;
  if (video.isInterlaced) return 'interlaced';
  const side = Math.min(video.width, video.height);
  return side > Math.max(MAX_PLAYABLE_SIDE, maxShortSide) ? `${side} lines` : undefined;
}

/** A Matroska file is a WebM by its codecs. */
const WEBM_CODECS = new Set(['vp8', 'vp9', 'av1', 'vorbis', 'opus']);

function containerFault(
  { format, video, audio }: MediaProbe,
  { acceptedContainers }: VideoSettings,
): string | undefined {
  const names = format.split(',');
  const isWebm = [video?.codec, audio?.codec].every(
    (codec) => codec === undefined || WEBM_CODECS.has(codec),
  );
  const isAccepted = acceptedContainers.some((container) =>
    container === 'webm' ? names.includes(container) && isWebm : names.includes(container),
  );
  return isAccepted ? undefined : `container ${format}`;
}

const audioFault = (codec: string | undefined, { acceptedAudioCodecs }: VideoSettings) =>
  codec === undefined || acceptedAudioCodecs.includes(codec) ? undefined : `audio codec ${codec}`;
