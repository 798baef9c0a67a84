import type { FileHandle } from 'node:fs/promises';
import type { Size } from './sizes.ts';

export type TiffHeader = Size & {
  /** Bytes of the largest block decoded at once: a strip, or a row of tiles. */
  readonly blockBytes: number;
  /** Undefined unless the picture is compressed by the old JPEG scheme, which libtiff has here not. */
  readonly oldJpeg: JpegPlace | undefined;
};

/** Where a whole JPEG lies in the file; a length of 0 where there is none. */
export type JpegPlace = { readonly start: number; readonly length: number };

/** TIFF 6.0 §22. */
const OLD_JPEG = 6;
const MAX_ENTRIES = 1000;
const TAGS = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  samples: 277,
  rowsPerStrip: 278,
  tileHeight: 323,
  jpegStart: 513,
  jpegLength: 514,
} as const;

/**
 * Returns the header of the first picture in a TIFF or BigTIFF file; undefined where it cannot be
 * read.
 */
export async function readTiffHeader(file: FileHandle): Promise<TiffHeader | undefined> {
  const values = await readFirstDirectory(file);
  const width = values?.get(TAGS.width);
  const height = values?.get(TAGS.height);
  if (!values || !width || !height) return undefined;
  const sampleBytes = Math.max(1, Math.ceil((values.get(TAGS.bits) ?? 8) / 8));
  const rowBytes = width * (values.get(TAGS.samples) ?? 1) * sampleBytes;
  const rows = values.get(TAGS.tileHeight) ?? values.get(TAGS.rowsPerStrip) ?? height;
  // Uncompressed data is read row by row, whatever the strips.
  const isPlain = (values.get(TAGS.compression) ?? 1) === 1 && !values.has(TAGS.tileHeight);
  const blockBytes = rowBytes * (isPlain ? 1 : Math.min(rows, height));
  const place = {
    start: values.get(TAGS.jpegStart) ?? 0,
    length: values.get(TAGS.jpegLength) ?? 0,
  };
  const oldJpeg = values.get(TAGS.compression) === OLD_JPEG ? place : undefined;
  return { width, height, blockBytes, oldJpeg };
}

/** The first number of each tag of the first directory. */
async function readFirstDirectory(file: FileHandle): Promise<Map<number, number> | undefined> {
  const read = async (at: number, length: number) => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, at);
    return bytes.subarray(0, bytesRead);
  };
  const head = await read(0, 16);
  if (head.length < 16) return undefined;
  const isLittle = head.toString('latin1', 0, 2) === 'II';
  const number = (bytes: Buffer, at: number, length: 1 | 2 | 4 | 8): number => {
    if (at + length > bytes.length) return 0;
    if (length === 8)
      return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
  const isBig = number(head, 2, 2) === 43;
  const directory = isBig ? number(head, 8, 8) : number(head, 4, 4);
  const [countLength, entryLength] = isBig ? ([8, 20] as const) : ([2, 12] as const);
  const count = Math.min(number(await read(directory, countLength), 0, countLength), MAX_ENTRIES);
  const entries = await read(directory + countLength, count * entryLength);
  const values = new Map<number, number>();
  for (let at = 0; at + entryLength <= entries.length; at += entryLength) {
    const [tag, type] = [number(entries, at, 2), number(entries, at + 2, 2)];
    const items = number(entries, at + 4, isBig ? 8 : 4);
    const length = ({ 1: 1, 3: 2, 4: 4, 16: 8 } as const)[type as 1 | 3 | 4 | 16];
    if (length === undefined || values.has(tag)) continue;
    const room = isBig ? 8 : 4;
    const isInline = items * length <= room;
    const bytes = isInline ? entries.subarray(at + entryLength - room) : undefined;
    const far = number(entries, at + entryLength - room, isBig ? 8 : 4);
    values.set(tag, number(bytes ?? (await read(far, length)), 0, length));
  }
  return values;
}
