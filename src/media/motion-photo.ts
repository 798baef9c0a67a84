import { open, rename, rm } from 'node:fs/promises';
import { broken } from './errors.ts';
import type { ExifTool } from './exiftool.ts';
import type { MotionPhoto } from './metadata.ts';
import { type MediaProbe, probe } from './probe.ts';

const CHUNK = 1024 * 1024;

/**
 * Writes the video of a motion photo to `target`, which appears only when it is one. Throws
 * MediaError 'broken' when the file promises a video that is not there.
 */
export async function extractMotionVideo(
  path: string,
  target: string,
  options: {
    readonly motionPhoto: MotionPhoto;
    readonly exiftool: ExifTool;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<MediaProbe> {
  const part = `${target}.part`;
  try {
    const { motionPhoto } = options;
    if ('tag' in motionPhoto) {
      if (!(await options.exiftool.extract(path, motionPhoto.tag, part)))
        throw broken('The motion photo has no video');
    } else await copyTail(path, part, motionPhoto);
    const found = await probe(part, options);
    if (!found.video) throw broken('What is embedded in the photo is no video');
    await rename(part, target);
    return found;
  } finally {
    await rm(part, { force: true });
  }
}

async function copyTail(
  path: string,
  target: string,
  { fromEnd, length }: { readonly fromEnd: number; readonly length: number },
): Promise<void> {
  const source = await open(path, 'r');
  try {
    const { size } = await source.stat();
    const start = size - fromEnd;
    if (start <= 0 || length > fromEnd) throw broken('The video would begin before the file');
    const sink = await open(target, 'wx');
    try {
      const buffer = Buffer.alloc(Math.min(CHUNK, length));
      let at = start;
      while (at < start + length) {
        const wanted = Math.min(buffer.length, start + length - at);
        const { bytesRead } = await source.read(buffer, 0, wanted, at);
        if (bytesRead === 0) break;
        await sink.write(buffer, 0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await sink.close();
    }
  } finally {
    await source.close();
  }
}
