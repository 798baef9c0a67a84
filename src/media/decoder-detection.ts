import { getExtension, isRaw } from './formats.ts';
import { type HeifPrimary, readHeifPrimary } from './heif.ts';
import { toProfile } from './icc.ts';
import { readPictureHeader } from './picture-header.ts';
import { describePng } from './png.ts';
import { isHdrColor } from './tonemap.ts';

/** The decoder of a picture. `sharp` covers the usual PNG, WebP, GIF, TIFF and AVIF. */
export type Decoder =
  | 'jpeg'
  | 'sharp'
  | 'heif'
  | 'hdr-avif'
  | 'hdr-heif'
  | 'hdr-png'
  | 'png'
  | 'avif-sequence'
  | 'raw'
  | 'old-jpeg'
  | 'jxl'
  | 'jp2'
  | 'plain-jp2'
  | 'bmp'
  | 'masked-bmp'
  | 'tga'
  | 'tiff'
  | 'lab-tiff'
  | 'offset-lab-tiff'
  | 'psd'
  | 'svg'
  | 'empty'
  | 'unknown';

const HEAD_BYTES = 4096;

/** Raw files that are no TIFF inside. */
const RAW_MAGIC = ['FUJIFILMCCD-RAW', 'IIRO', 'IIRS', 'MMOR', 'IIU\0', 'FOVb', '\0MRM'];

/**
 * Detects the decoder by content; the name counts only for raw formats that share TIFF's signature.
 */
export async function readDecoder(path: string, fileName: string): Promise<Decoder> {
  const head = Buffer.from(await Bun.file(path).slice(0, HEAD_BYTES).arrayBuffer());
  const found = detectDecoder(head, fileName);
  if (found !== 'sharp' && found !== 'heif') return found;
  if (head.toString('latin1', 1, 4) === 'PNG') return readPngDecoder(path);
  if (head.toString('latin1', 4, 8) === 'ftyp') return readHeifDecoder(path, found);
  return (await readPictureHeader(path))?.tiffDecoder ?? found;
}

async function readPngDecoder(path: string): Promise<Decoder> {
  const { color, hasHiddenMetadata } = await describePng(path);
  if (isHdrColor(color)) return 'hdr-png';
  return (color && toProfile(color)) || hasHiddenMetadata ? 'png' : 'sharp';
}

/** Gain maps beside the picture have colours of their own. */
async function readHeifDecoder(path: string, found: 'sharp' | 'heif'): Promise<Decoder> {
  const primary = await readHeifPrimary(path);
  // libheif rounds to ten bits, and ffmpeg does not put tiles together.
  if (isHdrColor(primary?.color))
    return found === 'heif' || primary?.isGrid ? 'hdr-heif' : 'hdr-avif';
  return findHeifProfile(primary) ? 'heif' : found;
}

/** Returns the profile of colours that a file names by numbers alone, which libheif does not convert. */
export const findHeifProfile = (primary: HeifPrimary | undefined): Uint8Array | undefined =>
  primary?.color && !primary.hasProfile ? toProfile(primary.color) : undefined;

export function detectDecoder(head: Buffer, fileName: string): Decoder {
  const ascii = head.toString('latin1', 0, 32);
  if (head.length === 0) return 'empty';
  if (ascii.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (ascii.startsWith('\x89PNG\r\n') || ascii.startsWith('GIF8')) return 'sharp';
  if (ascii.startsWith('RIFF') && ascii.slice(8, 12) === 'WEBP') return 'sharp';
  if (ascii.startsWith('\xff\x0a') || ascii.slice(4, 8) === 'JXL ') return 'jxl';
  if (ascii.slice(4, 8) === 'jP  ' || ascii.startsWith('\xff\x4f\xff\x51')) return 'jp2';
  if (ascii.slice(4, 8) === 'ftyp') return byBrand(head, fileName);
  if (RAW_MAGIC.some((magic) => ascii.startsWith(magic)) || ascii.slice(6, 14) === 'HEAPCCDR')
    return 'raw';
  if (/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(ascii)) return byTiff(ascii, fileName);
  if (ascii.startsWith('8BPS')) return 'psd';
  if (ascii.startsWith('BM')) return byBmp(head);
  if (/^\s*(<\?xml|<!DOCTYPE svg|<svg|<!--)/i.test(head.toString('utf8').replace(/^\uFEFF/, '')))
    return 'svg';
  if (isRaw(fileName)) return 'raw';
  // TGA has no mark at its start.
  return getExtension(fileName) === 'tga' ? 'tga' : 'unknown';
}

function byBrand(head: Buffer, fileName: string): Decoder {
  const size = Math.min(head.readUInt32BE(0), head.length);
  const brands = head.toString('latin1', 8, Math.max(16, size));
  if (/avi[fs]/.test(brands)) return brands.startsWith('avis') ? 'avif-sequence' : 'sharp';
  if (brands.startsWith('crx ') || isRaw(fileName)) return 'raw';
  return /hei[cxms]|hev[cxms]|mif1|msf1/.test(brands) ? 'heif' : 'unknown';
}

/** Pixels of 16 and 32 bits may have masks, which ffmpeg hardly knows; ImageMagick knows not all palettes. */
const byBmp = (head: Buffer): Decoder =>
  head.length > 30 && [16, 32].includes(head.readUInt16LE(28)) ? 'masked-bmp' : 'bmp';

const byTiff = (ascii: string, fileName: string): Decoder =>
  isRaw(fileName) || ascii.slice(8, 10) === 'CR' ? 'raw' : 'sharp';
