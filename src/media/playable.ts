import type { MediaProbe, VideoStream } from './probe.ts';

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

/** Returns why browsers cannot play the picture. */
export function videoFault(video: VideoStream): string | undefined {
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
