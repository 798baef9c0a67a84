import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CHILD_MEMORY_BYTES } from './decode-memory.ts';
import type { ExifTool } from './exiftool.ts';
import { buildIccSegment } from './jpeg.ts';
import { buildIccChunk } from './png.ts';
import type { ImageOutputs, Size } from './sizes.ts';
import { toIntegerWithin } from './tag-values.ts';

/** A picture in a form that sharp reads. */
export type Decoded = {
  readonly path: string;
  readonly isJpeg: boolean;
  /** EXIF number of the turn still to make; undefined: as the decoded file says itself. */
  readonly orientation: number | undefined;
  /** Size of the full picture as displayed, where the decoded file is smaller. */
  readonly size: Size | undefined;
  /** See RenderedImage. */
  readonly damage?: string | undefined;
  /** Why it is no picture if all of it has one colour. */
  readonly doubt?: string | undefined;
};

export type DecodeOptions = {
  /** An empty folder, which the caller removes. */
  readonly folder: string;
  readonly exiftool?: ExifTool | undefined;
  readonly metadata?: { orientation?: number | undefined } | undefined;
  readonly outputs?: ImageOutputs | undefined;
  readonly signal?: AbortSignal | undefined;
};

const GIB = 1024 ** 3;
/** Decoders of hostile files end on their own terms or on these. */
export const LIMITS = {
  timeoutMs: 90_000,
  cpuSeconds: 60,
  memoryBytes: 3 * GIB,
  dataBytes: CHILD_MEMORY_BYTES,
};

/** Returns the turn that the metadata tell. */
export async function readTurn(
  path: string,
  { exiftool, metadata }: DecodeOptions,
): Promise<number> {
  if (metadata?.orientation !== undefined) return metadata.orientation;
  return toIntegerWithin((await exiftool?.read(path))?.['Orientation'], 1, 8) ?? 1;
}

/** Behind the mark of a JPEG, and behind the header of a PNG. */
const PROFILE_PLACES = { jpg: 2, png: 33 };

/** Writes a copy of a picture with a profile. */
export async function embedProfile(
  path: string,
  icc: Uint8Array | undefined,
  { folder }: DecodeOptions,
): Promise<string> {
  if (!icc) return path;
  const isJpeg = path.endsWith('.jpg');
  const bytes = isJpeg ? buildIccSegment(icc) : buildIccChunk(icc);
  const at = PROFILE_PLACES[isJpeg ? 'jpg' : 'png'];
  const target = join(folder, 'profiled');
  async function* parts() {
    yield* createReadStream(path, { end: at - 1 });
    yield bytes;
    yield* createReadStream(path, { start: at });
  }
  await pipeline(parts, createWriteStream(target));
  return target;
}

/** Writes a copy of a file with other numbers, of four bytes, the least first, by their places. */
export async function copyWith(
  path: string,
  target: string,
  numbers: Readonly<Record<number, number>>,
): Promise<void> {
  // A new file: a copy would be read-only, as originals are.
  await pipeline(createReadStream(path), createWriteStream(target));
  await using file = await open(target, 'r+');
  for (const [at, value] of Object.entries(numbers))
    await file.write(Uint32Array.of(value), 0, 4, Number(at));
}
