import { type FileHandle, open } from 'node:fs/promises';

/**
 * Header segments of a JPEG file. Our own parser: it reads 256 KiB of any file without decoding it.
 */
export type JpegHeader = {
  /** As stored, before orientation. */
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly progressive: boolean;
  readonly bits: number;
  /** EXIF 1 to 8; undefined where the file does not say. */
  readonly orientation: number | undefined;
  readonly icc: Uint8Array | undefined;
  /** The mark of the end is there: at the end of the file, or before what was appended to it. */
  readonly complete: boolean;
};

/** Headers longer than this (depth maps in XMP) go the general way. */
const HEADER_BYTES = 256 * 1024;
const ICC_NAME = 'ICC_PROFILE\0';
const START_OF_SCAN = Buffer.from([0xff, 0xda]);
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
const SEARCH_BYTES = 1024 ** 2;
const MAX_SEARCHED_BYTES = 256 * SEARCH_BYTES;
const MAX_SEGMENT = 65_533;

export async function readJpegHeader(path: string): Promise<JpegHeader | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(HEADER_BYTES, size));
    await file.read(head, 0, head.length, 0);
    const end = Buffer.alloc(2);
    await file.read(end, 0, 2, Math.max(0, size - 2));
    const isWhole = end.equals(END_OF_IMAGE) || (await hasEnd(file, pictureStart(head)));
    return parseJpegHeader(head, isWhole);
  } finally {
    await file.close();
  }
}

/** Phones append a video, a depth map, or a few bytes of their own. */
async function hasEnd(file: FileHandle, from: number | undefined): Promise<boolean> {
  if (from === undefined) return false;
  const chunk = Buffer.alloc(SEARCH_BYTES);
  // The step is one byte less, for the mark may lie across two chunks.
  for (let at = from; at < from + MAX_SEARCHED_BYTES; at += SEARCH_BYTES - 1) {
    const { bytesRead } = await file.read(chunk, 0, SEARCH_BYTES, at);
    // In picture data the pair cannot occur: a byte of 255 is followed by a zero there.
    if (chunk.subarray(0, bytesRead).includes(END_OF_IMAGE)) return true;
    if (bytesRead < SEARCH_BYTES) return false;
  }
  return false;
}

/** Where the segments end and the picture data begins; undefined when that is not in these bytes. */
function pictureStart(head: Buffer): number | undefined {
  let at = 2;
  for (const { start, body } of segments(head)) at = start + 4 + body.length;
  return head[at] === 0xff && head[at + 1] === 0xda ? at : undefined;
}

export function parseJpegHeader(bytes: Buffer, complete: boolean): JpegHeader | undefined {
  const icc: { order: number; part: Buffer }[] = [];
  let orientation: number | undefined;
  for (const { marker, body } of segments(bytes)) {
    if (marker === 0xe1 && body.toString('latin1', 0, 6) === 'Exif\0\0')
      orientation ??= exifOrientation(body.subarray(6));
    if (marker === 0xe2 && body.toString('latin1', 0, 12) === ICC_NAME && body.length > 14)
      icc.push({ order: body.readUInt8(12), part: body.subarray(14) });
    if (!isFrame(marker) || body.length < 6) continue;
    return {
      bits: body.readUInt8(0),
      height: body.readUInt16BE(1),
      width: body.readUInt16BE(3),
      components: body.readUInt8(5),
      progressive: marker !== 0xc0 && marker !== 0xc1,
      orientation,
      icc: icc.length
        ? Buffer.concat(icc.sort((a, b) => a.order - b.order).map(({ part }) => part))
        : undefined,
      complete,
    };
  }
  return undefined;
}

/** SOF0 to SOF15 without the three marks in between that mean something else. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

type Segment = { readonly marker: number; readonly start: number; readonly body: Buffer };

/** Up to the picture data, or to where the bytes stop making sense. */
function* segments(bytes: Buffer): Generator<Segment> {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) return;
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return;
    yield { marker, start: at, body: bytes.subarray(at + 4, at + 2 + length) };
    at += 2 + length;
  }
}

/** Tag 0x0112 of the first directory. */
function exifOrientation(tiff: Buffer): number | undefined {
  if (tiff.length < 14) return undefined;
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const count = u16(directory);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > tiff.length) return undefined;
    if (u16(entry) !== 0x0112) continue;
    const value = u16(entry + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

export type JpegFrame = {
  readonly width: number;
  readonly height: number;
  /** Decoders keep the coefficients of the whole picture: it comes in more than one scan. */
  readonly isWhole: boolean;
  /** Coefficients per pixel over all components: 3 without subsampling, 1.5 for 4:2:0. */
  readonly coefficients: number;
  /** Where the first scan begins. */
  readonly scanStart: number;
};

const WINDOW_BYTES = 64 * 1024;
const MAX_SEGMENTS = 10_000;

/** The frame header, however far behind maps and previews it stands; undefined when there is none. */
export async function readJpegFrame(path: string): Promise<JpegFrame | undefined> {
  const file = await open(path, 'r');
  try {
    const window = Buffer.alloc(WINDOW_BYTES);
    let start = 0;
    let length = 0;
    let frame: Omit<JpegFrame, 'isWhole' | 'scanStart'> | undefined;
    let components = 0;
    let isProgressive = false;
    for (let at = 2, count = 0; count < MAX_SEGMENTS; count++) {
      if (at < start || at + 64 > start + length) {
        length = (await file.read(window, 0, WINDOW_BYTES, at)).bytesRead;
        start = at;
      }
      const bytes = window.subarray(at - start, length);
      if (bytes.length < 12 || bytes[0] !== 0xff) return undefined;
      const marker = bytes.readUInt8(1);
      if (marker === 0xff) {
        at += 1;
        continue;
      }
      if (marker === 0xd9) return undefined;
      if (isFrame(marker)) {
        frame = parseFrame(bytes.subarray(4));
        components = bytes.readUInt8(9);
        isProgressive = marker !== 0xc0 && marker !== 0xc1;
      }
      if (marker === 0xda) {
        const isWhole = isProgressive || bytes.readUInt8(4) < components;
        return frame && { ...frame, isWhole, scanStart: at };
      }
      at += 2 + bytes.readUInt16BE(2);
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/** From the body of its segment: precision, height, width, and a sampling factor per component. */
function parseFrame(body: Buffer): Omit<JpegFrame, 'isWhole' | 'scanStart'> {
  const factors = Array.from({ length: Math.min(body.readUInt8(5), 4) }, (_, index) => {
    const byte = body[7 + index * 3] ?? 0x11;
    return { across: byte >> 4 || 1, down: byte & 15 || 1 };
  });
  const across = Math.max(...factors.map((factor) => factor.across));
  const down = Math.max(...factors.map((factor) => factor.down));
  const blocks = factors.reduce((sum, factor) => sum + factor.across * factor.down, 0);
  const coefficients = blocks / (across * down);
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), coefficients };
}

/**
 * Inside picture data the mark of a scan cannot occur, so that counting it counts the scans; what
 * phones append after the end of the picture is not looked at.
 */
export async function hasAtMostScans(path: string, most: number): Promise<boolean> {
  const frame = await readJpegFrame(path);
  if (!frame?.isWhole) return true;
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(SEARCH_BYTES);
    let count = 0;
    // The step is one byte less, for the mark may lie across two chunks.
    for (let at = frame.scanStart; ; at += SEARCH_BYTES - 1) {
      const { bytesRead } = await file.read(chunk, 0, SEARCH_BYTES, at);
      const end = chunk.subarray(0, bytesRead).indexOf(END_OF_IMAGE);
      const bytes = chunk.subarray(0, end < 0 ? bytesRead : end);
      for (let scan = bytes.indexOf(START_OF_SCAN); scan >= 0; count++)
        scan = bytes.indexOf(START_OF_SCAN, scan + 2);
      if (count > most) return false;
      if (end >= 0 || bytesRead < SEARCH_BYTES) return true;
    }
  } finally {
    await file.close();
  }
}

/** The same picture with a colour profile, for a camera that only names it. */
export function withIcc(jpeg: Buffer, icc: Uint8Array): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), buildIccSegment(icc), jpeg.subarray(2)]);
}

/** Returns the segment of a profile. */
export function buildIccSegment(icc: Uint8Array): Buffer {
  const head = Buffer.from(`\xff\xe2\0\0${ICC_NAME}\x01\x01`, 'latin1');
  head.writeUInt16BE(2 + ICC_NAME.length + 2 + icc.length, 2);
  if (icc.length > MAX_SEGMENT - 14) throw new Error('The profile does not fit one segment');
  return Buffer.concat([head, icc]);
}

/** Without its colour profile: for a picture known to be sRGB, which needs none. */
export function withoutIcc(jpeg: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { marker, start, body } of segments(jpeg)) {
    if (marker !== 0xe2 || body.toString('latin1', 0, 12) !== ICC_NAME) continue;
    parts.push(jpeg.subarray(from, start));
    from = start + 4 + body.length;
  }
  return from === 0 ? jpeg : Buffer.concat([...parts, jpeg.subarray(from)]);
}

/** A header of a segment has at most so many bytes. */
const MAX_SEGMENT_BYTES = 65_537;

/**
 * Returns where the last header of a segment begins if the end of the bytes cuts it off; undefined: it is whole.
 * Within a scan no byte 255 has one of another meaning behind it.
 */
export function findCutHeader(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 2; at >= Math.max(2, bytes.length - MAX_SEGMENT_BYTES); at--) {
    if (bytes[at] !== 0xff) continue;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)) continue;
    const length = at + 4 > bytes.length ? Infinity : bytes.readUInt16BE(at + 2);
    return at + 2 + length > bytes.length ? at : undefined;
  }
  return undefined;
}
