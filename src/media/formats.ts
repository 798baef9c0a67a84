/** Accepted formats by file name extension. */
export type MediaType = 'IMAGE' | 'VIDEO' | 'AUDIO';
export type MediaFormat = { readonly type: MediaType; readonly mime: string };

/** Sensor data of cameras: rendered from the embedded preview, else developed. */
const RAW: Readonly<Record<string, string>> = {
  '3fr': 'image/x-hasselblad-3fr',
  ari: 'image/x-arriflex-ari',
  arw: 'image/x-sony-arw',
  cap: 'image/x-phaseone-cap',
  cin: 'image/x-phantom-cin',
  cr2: 'image/x-canon-cr2',
  cr3: 'image/x-canon-cr3',
  crw: 'image/x-canon-crw',
  dcr: 'image/x-kodak-dcr',
  dng: 'image/x-adobe-dng',
  erf: 'image/x-epson-erf',
  fff: 'image/x-hasselblad-fff',
  iiq: 'image/x-phaseone-iiq',
  k25: 'image/x-kodak-k25',
  kdc: 'image/x-kodak-kdc',
  mrw: 'image/x-minolta-mrw',
  nef: 'image/x-nikon-nef',
  nrw: 'image/x-nikon-nrw',
  orf: 'image/x-olympus-orf',
  ori: 'image/x-olympus-ori',
  pef: 'image/x-pentax-pef',
  raf: 'image/x-fuji-raf',
  raw: 'image/x-panasonic-raw',
  rw2: 'image/x-panasonic-rw2',
  rwl: 'image/x-leica-rwl',
  sr2: 'image/x-sony-sr2',
  srf: 'image/x-sony-srf',
  srw: 'image/x-samsung-srw',
  x3f: 'image/x-sigma-x3f',
};

const IMAGE: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  hif: 'image/hif',
  insp: 'image/jpeg',
  // Browsers of Windows save JPEGs so. Immich refuses them.
  jfif: 'image/jpeg',
  jp2: 'image/jp2',
  jpe: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  jxl: 'image/jxl',
  mpo: 'image/jpeg',
  png: 'image/png',
  psd: 'image/vnd.adobe.photoshop',
  // A program (scripts, links): as Immich names it, which no browser takes for one. Only pictures made
  // of it are shown, and the file is sent as a download in a sandbox.
  svg: 'image/svg',
  tga: 'image/x-tga',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
};

const VIDEO: Readonly<Record<string, string>> = {
  '3gp': 'video/3gpp',
  '3gpp': 'video/3gpp',
  avi: 'video/x-msvideo',
  flv: 'video/x-flv',
  insv: 'video/mp4',
  m2t: 'video/mp2t',
  m2ts: 'video/mp2t',
  m4v: 'video/x-m4v',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  mpe: 'video/mpeg',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mts: 'video/mp2t',
  mxf: 'application/mxf',
  ts: 'video/mp2t',
  vob: 'video/mpeg',
  webm: 'video/webm',
  wmv: 'video/x-ms-wmv',
};

const AUDIO: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  amr: 'audio/amr',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  wav: 'audio/wav',
  wma: 'audio/x-ms-wma',
};

const toFormats = (type: MediaType, table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([extension, mime]) => [extension, { type, mime }] as const);

/** By lower-case extension without its dot. */
export const FORMATS: ReadonlyMap<string, MediaFormat> = new Map([
  ...toFormats('IMAGE', IMAGE),
  ...toFormats('IMAGE', RAW),
  ...toFormats('VIDEO', VIDEO),
  ...toFormats('AUDIO', AUDIO),
]);

const SIDECAR_EXTENSIONS: readonly string[] = ['.xmp'];

const toSortedExtensions = (...tables: Readonly<Record<string, string>>[]): string[] =>
  tables
    .flatMap(Object.keys)
    .map((extension) => `.${extension}`)
    .sort();

/** As `GET /server/media-types` lists them: with the dot, sorted. */
export const EXTENSIONS: Readonly<Record<'image' | 'video' | 'audio' | 'sidecar', string[]>> = {
  image: toSortedExtensions(IMAGE, RAW),
  video: toSortedExtensions(VIDEO),
  audio: toSortedExtensions(AUDIO),
  sidecar: [...SIDECAR_EXTENSIONS],
};

/** 'IMG_1.HEIC' → 'heic'; '' without one. A leading dot is no extension. */
export function getExtension(fileName: string): string {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** The same for names that differ in case only, or in the form of their letters: a Mac writes 'é' as two. */
export const toNameKey = (fileName: string): string => fileName.normalize('NFC').toLowerCase();

/** The MIME type of the bytes where the name tells another one: see content-type.ts. */
type NamedFile = { readonly fileName: string; readonly contentType: string | null };
export const getContentType = ({ contentType, fileName }: NamedFile): string =>
  contentType ?? getMimeType(fileName);

const findFormat = (fileName: string): MediaFormat | undefined =>
  FORMATS.get(getExtension(fileName));
export const getMediaType = (fileName: string): MediaType | undefined => findFormat(fileName)?.type;
export const getMimeType = (fileName: string): string =>
  findFormat(fileName)?.mime ?? 'application/octet-stream';
/** Without the dot. */
export const RAW_EXTENSIONS: readonly string[] = Object.keys(RAW);
export const isRaw = (fileName: string): boolean => Object.hasOwn(RAW, getExtension(fileName));
export const isSidecar = (fileName: string): boolean => /[^/]\.xmp$/i.test(fileName);

/** Formats that every browser displays. */
const DISPLAYED = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']);
export const isDisplayedByBrowsers = (mimeType: string): boolean => DISPLAYED.has(mimeType);

/** The limit of common file systems, so that a download can be saved under the same name. */
const MAX_NAME_BYTES = 255;

/** Control characters and bidirectional overrides, which can disguise an extension. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Returns the client's file name without folders and control characters, at most 255 bytes long. Keeps
 * the extension when it truncates. Returns 'unnamed' when nothing is left.
 */
export function toSafeFileName(input: string): string {
  const base = input.slice(Math.max(input.lastIndexOf('/'), input.lastIndexOf('\\')) + 1);
  const name = base.toWellFormed().normalize('NFC').replace(UNPRINTABLE, '').trim();
  if (/^\.*$/.test(name)) return 'unnamed';
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = getExtension(name);
  const end =
    extension && Buffer.byteLength(extension) <= 20 ? name.slice(-extension.length - 1) : '';
  const stem = name.slice(0, name.length - end.length);
  return cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(end)) + end;
}

/** Returns the beginning of the text that has this many bytes in UTF-8 at most, in whole characters as people see them. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let bytes = 0;
  for (const { segment, index } of new Intl.Segmenter('en').segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) return text.slice(0, index);
  }
  return text;
}
