import { type FileHandle, open } from 'node:fs/promises';
import { readTopBox } from './heif.ts';
import { readJpegFrame } from './jpeg.ts';
import type { Size } from './sizes.ts';

/** Header of a picture, read without decoding it. */
export type PictureHeader = Size & {
  readonly format: 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'avif' | 'heic' | 'jp2';
  /** Estimated peak memory of decoding, from measurements of our decoders. */
  readonly decodeBytes: number;
  readonly oldJpeg?: JpegPlace | undefined;
  /** See TiffHeader. */
  readonly tiffDecoder?: TiffHeader['decoder'];
};

const HEAD_BYTES = 4096;
/** Buffers that do not grow with the picture, and those of our own outputs. */
const FIXED_BYTES = 16 * 1024 ** 2;
/** Bytes per pixel of decoders that read rows as they come, and of the pipeline behind them. */
const BY_ROW = 0.8;

/** Undefined where the header cannot be read: the decoder then says what is wrong. */
export async function readPictureHeader(path: string): Promise<PictureHeader | undefined> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
    const head = bytes.subarray(0, bytesRead);
    const ascii = head.toString('latin1', 0, 32);
    if (ascii.startsWith('\xff\xd8\xff')) return await jpegHeader(path);
    if (ascii.startsWith('\x89PNG\r\n') && head.length > 29) return pngHeader(head);
    if (ascii.startsWith('GIF8') && head.length > 10)
      return header('gif', { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }, 6);
    if (ascii.startsWith('RIFF') && ascii.slice(8, 12) === 'WEBP' && head.length > 30)
      return webpHeader(head);
    if (/^(II[*+]\0|MM\0[*+])/.test(ascii)) return await tiffHeader(file);
    if (ascii.slice(4, 8) === 'ftyp') return await heifHeader(file);
    if (ascii.slice(4, 8) === 'jP  ' || ascii.startsWith('\xff\x4f\xff\x51'))
      return jp2Header(head);
    return undefined;
  } finally {
    await file.close();
  }
}

const header = (
  format: PictureHeader['format'],
  { width, height }: Size,
  bytesPerPixel: number,
): PictureHeader => {
  const decodeBytes = FIXED_BYTES + width * height * (bytesPerPixel + BY_ROW);
  return { format, width, height, decodeBytes };
};

/** ISO/IEC 15444-1 §A.5.1: the begin of the codestream has the size of the picture and where it begins. */
function jp2Header(head: Buffer): PictureHeader | undefined {
  const at = head.indexOf('ff4fff51', 0, 'hex');
  if (at < 0 || head.length < at + 42) return undefined;
  const read = (offset: number) => head.readUInt32BE(at + offset);
  const size = { width: read(8) - read(16), height: read(12) - read(20) };
  const samples = head.readUInt16BE(at + 40);
  // The decoder has four bytes for each sample, and the picture eight for each pixel: five are in what a child may take more.
  return header('jp2', size, 4 * samples + 3);
}

async function jpegHeader(path: string): Promise<PictureHeader | undefined> {
  const frame = await readJpegFrame(path);
  // A coefficient has two bytes.
  return frame && header('jpeg', frame, frame.isWhole ? frame.coefficients * 2 : 0);
}

const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

function pngHeader(head: Buffer): PictureHeader {
  const size = { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  const bytesPerPixel =
    ((PNG_CHANNELS[head.readUInt8(25)] ?? 4) * Math.max(8, head.readUInt8(24))) / 8;
  const isInterlaced = head[28] !== 0;
  return header('png', size, isInterlaced ? bytesPerPixel * 1.3 : 0);
}

/** Lossless pictures and those with animation are decoded as a whole. */
function webpHeader(head: Buffer): PictureHeader | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ': {
      const size = {
        width: head.readUInt16LE(26) & 0x3fff,
        height: head.readUInt16LE(28) & 0x3fff,
      };
      return header('webp', size, 1);
    }
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      const size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
      return header('webp', size, 5);
    }
    case 'VP8X': {
      const size = { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
      const isAnimated = (head.readUInt8(20) & 2) !== 0;
      return header('webp', size, isAnimated ? 10 : 5);
    }
    default:
      return undefined;
  }
}

async function tiffHeader(file: FileHandle): Promise<PictureHeader | undefined> {
  const found = await readTiffHeader(file);
  if (!found) return undefined;
  const { width, height, blockBytes, oldJpeg, decoder } = found;
  // A strip or a row of tiles, as it is stored and as it is decoded.
  return {
    format: 'tiff',
    width,
    height,
    decodeBytes: FIXED_BYTES + 2 * blockBytes + width * height * BY_ROW,
    oldJpeg,
    tiffDecoder: decoder,
  };
}

/** The largest picture that the file describes: the one shown, a tile, a preview, a map. */
async function heifHeader(file: FileHandle): Promise<PictureHeader | undefined> {
  const meta = await readTopBox(file, 'meta');
  if (!meta) return undefined;
  let [width, height] = [0, 0];
  for (let at = meta.indexOf('ispe', 0, 'latin1'); at >= 0; at = meta.indexOf('ispe', at + 4)) {
    if (at + 16 > meta.length) break;
    const size = { width: meta.readUInt32BE(at + 8), height: meta.readUInt32BE(at + 12) };
    if (size.width * size.height > width * height) ({ width, height } = size);
  }
  if (width === 0) return undefined;
  const configuration = meta.indexOf('av1C', 0, 'latin1');
  if (configuration < 0) return header('heic', { width, height }, meta.includes('grid') ? 4 : 7);
  // AV1-ISOBMFF: bit depth and subsampling are in the third byte.
  const flags = meta[configuration + 6] ?? 0;
  const isDeep = (flags & 0x40) !== 0;
  const isSubsampled = (flags & 0x0c) === 0x0c;
  return header('avif', { width, height }, (isSubsampled ? 15 : 18) * (isDeep ? 1.5 : 1));
}

type TiffHeader = Size & {
  /** Bytes of the largest block decoded at once: a strip, or a row of tiles. */
  readonly blockBytes: number;
  readonly oldJpeg: JpegPlace | undefined;
  /** Undefined where sharp decodes it: its libtiff has not all schemes, and libvips takes some numbers wrong. */
  readonly decoder: 'old-jpeg' | 'lab-tiff' | 'offset-lab-tiff' | 'tiff' | undefined;
};

/** Where a whole JPEG lies in the file; a length of 0 where there is none. */
type JpegPlace = { readonly start: number; readonly length: number };

/** TIFF 6.0 §22. */
const OLD_JPEG = 6;
/** Those that sharp has, as in PDF, scanners, Adobe's programs, and WebP. */
const USUAL_COMPRESSIONS = [1, 2, 3, 4, 5, 7, 8, 32_766, 32_773, 32_809, 32_946, 34_676, 50_001];
const USUAL_BITS = [1, 2, 4, 8, 16];
/** Unsigned numbers, and those of which nothing is known. */
const USUAL_SAMPLES = [1, 4];
const CIE_LAB = 8;
const ICC_LAB = 9;
const MAX_ENTRIES = 1000;
const TAGS = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  samples: 277,
  rowsPerStrip: 278,
  planes: 284,
  tileHeight: 323,
  sampleFormat: 339,
  jpegStart: 513,
  jpegLength: 514,
} as const;

/**
 * Returns the header of the first picture in a TIFF or BigTIFF file; undefined where it cannot be
 * read.
 */
async function readTiffHeader(file: FileHandle): Promise<TiffHeader | undefined> {
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
  return { width, height, blockBytes, oldJpeg, decoder: chooseTiffDecoder(values) };
}

function chooseTiffDecoder(values: ReadonlyMap<number, number>): TiffHeader['decoder'] {
  const compression = values.get(TAGS.compression) ?? 1;
  if (compression === OLD_JPEG) return 'old-jpeg';
  const photometric = values.get(TAGS.photometric);
  const sampleFormat = values.get(TAGS.sampleFormat);
  if (photometric === ICC_LAB) return 'lab-tiff';
  // Its colours are signed, unless it says that they are not.
  if (photometric === CIE_LAB) return sampleFormat === 1 ? 'offset-lab-tiff' : 'lab-tiff';
  // Tiles of a plane each.
  const isPlanar = values.get(TAGS.planes) === 2 && values.has(TAGS.tileHeight);
  const isUsual =
    !isPlanar &&
    USUAL_COMPRESSIONS.includes(compression) &&
    USUAL_BITS.includes(values.get(TAGS.bits) ?? 1) &&
    USUAL_SAMPLES.includes(sampleFormat ?? 1);
  return isUsual ? undefined : 'tiff';
}

/** The first number of each tag of the first directory. */
async function readFirstDirectory(file: FileHandle): Promise<Map<number, number> | undefined> {
  const read = async (at: number, length: number) => {
    if (!Number.isSafeInteger(at)) return Buffer.alloc(0);
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
