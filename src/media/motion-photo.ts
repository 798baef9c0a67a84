import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { broken, MediaError } from './errors.ts';
import type { MotionPhoto } from './metadata.ts';
import { type MediaProbe, probe } from './probe.ts';

const CHUNK = 1024 * 1024;
/** A file has few videos, and looking at one takes a process. */
const MAX_TRIES = 4;
const MAX_BOXES = 1000;
/** A file that consists of names of boxes would be read for hours. */
const MAX_LOOKS = 1000;

/**
 * Writes the video of a motion photo to `target`, which appears only when it is one: that at the place where the file
 * says it is, else the first that is found in it. Throws MediaError 'broken' when the file promises a video that is not
 * there.
 */
export async function extractMotionVideo(
  path: string,
  target: string,
  options: {
    readonly motionPhoto: MotionPhoto;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<MediaProbe> {
  const part = `${target}.part`;
  const source = await open(path, 'r');
  try {
    const { size } = await source.stat();
    const tried = new Set<number>();
    for await (const start of listStarts(source, size, options.motionPhoto)) {
      if (tried.has(start)) continue;
      if (tried.size === MAX_TRIES) break;
      tried.add(start);
      const end = await findEnd(source, start, size);
      if (end === undefined) continue;
      await pipeline(createReadStream(path, { start, end: end - 1 }), createWriteStream(part));
      const found = await probeVideo(part, options);
      if (!found) continue;
      await rename(part, target);
      return found;
    }
    throw broken('The photo says that it has a video, and has none');
  } finally {
    await source.close();
    await rm(part, { force: true });
  }
}

async function* listStarts(source: FileHandle, size: number, { fromEnd }: MotionPhoto) {
  if (fromEnd !== undefined && fromEnd < size) yield size - fromEnd;
  yield* searchVideos(source, size);
}

/** Brands of pictures, which begin with the same box as videos. */
const PICTURE_BRANDS = /^(?:hei|hev|mif|msf|avi|jxl|crx|j2k|jp2)/;

/** Returns where files of the family of MP4 may begin, except at the start. */
async function* searchVideos(source: FileHandle, size: number) {
  const buffer = Buffer.alloc(CHUNK);
  let looks = 0;
  // The name of the first box, behind its length, may be cut by the end of a chunk.
  for (let at = 1; at < size; at += CHUNK - 7) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK, at);
    const bytes = buffer.subarray(0, bytesRead);
    for (
      let found = bytes.indexOf('ftyp', 4);
      found >= 0;
      found = bytes.indexOf('ftyp', found + 4)
    ) {
      if (++looks > MAX_LOOKS) return;
      if (await isVideoStart(source, at + found - 4)) yield at + found - 4;
    }
  }
}

async function isVideoStart(source: FileHandle, at: number): Promise<boolean> {
  const head = Buffer.alloc(12);
  const { bytesRead } = await source.read(head, 0, 12, at);
  const brand = head.toString('latin1', 8);
  const isBox = head.readUInt32BE(0) >= 16 && head.readUInt32BE(0) <= 1024;
  return bytesRead === 12 && isBox && /^[\x20-\x7e]{4}$/.test(brand) && !PICTURE_BRANDS.test(brand);
}

/** The parts of a video; makers put trailers of their own behind it. */
const BOXES = new Set(
  'ftyp moov mdat free skip wide uuid meta udta pnot moof mfra sidx ssix styp emsg prft pdin'.split(
    ' ',
  ),
);

/** Returns where the video that begins at `start` ends; undefined where none does. */
async function findEnd(
  source: FileHandle,
  start: number,
  size: number,
): Promise<number | undefined> {
  const head = Buffer.alloc(16);
  let at = start;
  for (let boxes = 0; boxes < MAX_BOXES; boxes++) {
    const { bytesRead } = await source.read(head, 0, 16, at);
    const type = head.toString('latin1', 4, 8);
    const isAnother = type === 'ftyp' && at > start;
    if (bytesRead < 8 || !BOXES.has(type) || isAnother) break;
    const short = head.readUInt32BE(0);
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    // The last box may be without a length, or cut.
    if (length === 0 || at + length > size) return size;
    if (length < 8) break;
    at += length;
  }
  return at > start ? at : undefined;
}

/** Returns undefined for what is no video. */
async function probeVideo(
  path: string,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<MediaProbe | undefined> {
  try {
    const found = await probe(path, options);
    return found.video && found;
  } catch (error) {
    const isVerdict =
      error instanceof MediaError && (error.kind === 'broken' || error.kind === 'unsupported');
    if (isVerdict) return undefined;
    throw error;
  }
}

const TAIL_BYTES = 4096;
const LIVE_TAIL = /LIVE_\d+\s*$/;
/** Type of a video in a directory of Samsung. */
const SAMSUNG_VIDEO = 0x0a30;

/**
 * Returns whether the end of a file says that it is a motion photo: phones of Huawei and Honor write a line there,
 * those of Samsung a directory.
 */
export async function hasMotionTrailer(path: string): Promise<boolean> {
  const source = await open(path, 'r');
  try {
    const { size } = await source.stat();
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const { bytesRead } = await source.read(buffer, 0, buffer.length, size - buffer.length);
    const tail = buffer.subarray(0, bytesRead);
    return LIVE_TAIL.test(tail.toString('latin1', tail.length - 40)) || hasSamsungVideo(tail);
  } finally {
    await source.close();
  }
}

function hasSamsungVideo(tail: Buffer): boolean {
  const at = tail.lastIndexOf('SEFH');
  if (at < 0 || tail.toString('latin1', tail.length - 4) !== 'SEFT') return false;
  for (let entry = at + 12; entry + 12 <= tail.length - 8; entry += 12)
    if (tail.readUInt16LE(entry + 2) === SAMSUNG_VIDEO) return true;
  return false;
}
