import { getMimeType, isRaw } from './formats.ts';

const HEAD_BYTES = 64;

/**
 * Returns the MIME type of a picture's bytes where its name tells another one: people and programs rename files.
 * Undefined where the name is right, or the bytes are of no known picture.
 */
export async function findContentType(path: string, fileName: string): Promise<string | undefined> {
  const named = getMimeType(fileName);
  if (!named.startsWith('image/') || isRaw(fileName)) return undefined;
  const head = Buffer.from(await Bun.file(path).slice(0, HEAD_BYTES).arrayBuffer());
  const found = detectContentType(head.toString('latin1'));
  return found === undefined || toFamily(found) === toFamily(named) ? undefined : found;
}

const toFamily = (type: string): string => (/^image\/(heif|hif)$/.test(type) ? 'image/heic' : type);

const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^(\xff\n|[^]{4}JXL )/, 'image/jxl'],
  [/^([^]{4}jP {2}|\xff\x4f\xff\x51)/, 'image/jp2'],
  [/^[^]{4}ftypcrx /, 'image/x-canon-cr3'],
  [/^[^]{4}ftyp[^]{0,40}avi[fs]/, 'image/avif'],
  [/^[^]{4}ftyp[^]{0,40}(hei[cxms]|hev[cxms]|mif1|msf1)/, 'image/heic'],
  [/^II\*\0[^]{4}CR/, 'image/x-canon-cr2'],
  [/^FUJIFILMCCD-RAW/, 'image/x-fuji-raf'],
  [/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/, 'image/tiff'],
  [/^8BPS/, 'image/vnd.adobe.photoshop'],
  [/^BM/, 'image/bmp'],
];

const detectContentType = (head: string) => MARKS.find(([mark]) => mark.test(head))?.[1];
