import { rename, rm } from 'node:fs/promises';
import { broken, unsupported } from './errors.ts';
import { needsTranscode } from './playable.ts';
import { FFMPEG, type MediaProbe, SAFE_INPUT } from './probe.ts';
import { runTool } from './tool-process.ts';
import { STRIP_USER_DATA } from './transcode.ts';

const LIMITS = {
  timeoutMs: 30 * 60_000,
  cpuSeconds: 600,
  memoryBytes: 2 * 1024 ** 3,
  nice: 5,
};

/** ffmpeg's demuxer and muxer of each container. */
const SOUND_CONTAINERS = [
  { format: 'mov', muxer: 'mp4', extension: 'm4a', mimeType: 'audio/mp4' },
  { format: 'mp3', muxer: 'mp3', extension: 'mp3', mimeType: 'audio/mpeg' },
  { format: 'flac', muxer: 'flac', extension: 'flac', mimeType: 'audio/flac' },
  { format: 'ogg', muxer: 'ogg', extension: 'ogg', mimeType: 'audio/ogg' },
  { format: 'wav', muxer: 'wav', extension: 'wav', mimeType: 'audio/wav' },
  { format: 'aac', muxer: 'adts', extension: 'aac', mimeType: 'audio/aac' },
] as const;
const VIDEO_CONTAINER = { muxer: 'mp4', extension: 'mp4', mimeType: 'video/mp4' } as const;

export type StripFormat = (typeof SOUND_CONTAINERS)[number] | typeof VIDEO_CONTAINER;

/**
 * Returns the container in which streams can be copied without metadata; 'transcode' when browsers
 * need other codecs. Throws MediaError.
 */
export function selectStripFormat(found: MediaProbe): StripFormat | 'transcode' {
  if (found.video) return needsTranscode(found) === undefined ? VIDEO_CONTAINER : 'transcode';
  const formats = found.format.split(',');
  const form = SOUND_CONTAINERS.find(({ format }) => formats.includes(format));
  if (!form || !found.audio) throw unsupported(`No copy of ${found.format} can be made`);
  return form;
}

/**
 * Copies the video and audio streams only: no tags, chapters, covers, subtitles or GPS tracks.
 * `target` is created atomically. Throws MediaError.
 */
export async function stripMetadata(
  path: string,
  target: string,
  { probe: { video, audio }, form }: { readonly probe: MediaProbe; readonly form: StripFormat },
): Promise<void> {
  const part = `${target}.part`;
  const streams = [video, audio].flatMap((stream) => (stream ? ['-map', `0:${stream.index}`] : []));
  const dropped = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'];
  const copied = ['-c', 'copy', ...(video ? STRIP_USER_DATA : [])];
  const muxing = form.muxer === 'mp4' ? ['-movflags', '+faststart'] : [];
  const reading = [...FFMPEG, ...SAFE_INPUT, '-i', `file:${path}`];
  const writing = [...dropped, ...copied, ...muxing, '-f', form.muxer, `file:${part}`];
  try {
    const { code, stderr } = await runTool([...reading, ...streams, ...writing], {
      ...LIMITS,
      output: part,
    });
    if (code !== 0) throw broken(`ffmpeg: ${stderr.trim().split('\n').at(-1)?.slice(0, 300)}`);
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}
