import { type FileHandle, open } from 'node:fs/promises';
import sharp from 'sharp';
import { broken, MediaError, unsupported } from '../errors.ts';
import type { PhotoshopPicture } from '../image-messages.ts';
import { MAX_PIXELS } from '../sizes.ts';
import { toMediaError } from './render.ts';
import { convertLab } from './lab.ts';
import { applyPalette, type Composite, invert, readPlanes } from './photoshop-planes.ts';

// Adobe Photoshop File Formats Specification: header, palette, resources, layers, merged picture. Layers
// are not drawn. ffmpeg reads none of the files that ImageMagick writes.

const MIB = 1024 ** 2;
const MAX_PLANE_BYTES = 300 * MIB;
const MAX_RESULT_BYTES = 200 * MIB;
const MAX_RESOURCES = 2000;
/** The limit of the format for large documents. */
const MAX_SIDE = 300_000;
const MAX_RESOURCE_BYTES = 8 * MIB;
const RESOURCE = { thumbnail: 1036, icc: 1039, version: 1057 } as const;

/** Modes of colour by Photoshop's number: how many planes, and as which they are read. */
type Mode = readonly [name: Planes['mode'] | 'palette' | 'lab', colours: number];
const MODES: Readonly<Record<number, Mode>> = {
  0: ['gray', 1],
  1: ['gray', 1],
  2: ['palette', 1],
  3: ['rgb', 3],
  4: ['cmyk', 4],
  8: ['gray', 1],
  9: ['lab', 3],
};

type Document = Composite & {
  readonly colourMode: number;
  readonly palette: Uint8Array;
  readonly resources: ReadonlyMap<number, Buffer>;
  /** The first plane behind the colours is the transparency of the merged picture. */
  readonly hasTransparency: boolean;
};

/**
 * Returns the merged picture of a Photoshop file as a TIFF in sRGB, or the thumbnail of one that was saved
 * without. Throws MediaError.
 */
export async function readPhotoshop(path: string): Promise<PhotoshopPicture> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const document = await readDocument(file);
    const { width, height, start, resources } = document;
    const isTruncated = start + 2 >= size;
    const hasComposite = resources.get(RESOURCE.version)?.[4] !== 0 && !isTruncated;
    const mode = MODES[document.colourMode];
    if (hasComposite && mode) return await readComposite(file, document, mode);
    // After the size, the lengths and the kind of the thumbnail comes a JPEG.
    const thumbnail = resources.get(RESOURCE.thumbnail)?.subarray(28);
    if (!thumbnail?.length) throw unsupported('The document has no picture of all its layers');
    const damage = isTruncated ? 'The file ends before its picture' : undefined;
    return { bytes: thumbnail, isJpeg: true, width, height, damage };
  } catch (error) {
    throw toMediaError(error);
  } finally {
    await file.close();
  }
}

async function readDocument(file: FileHandle): Promise<Document> {
  const head = await readAt(file, 0, 30);
  if (head.length < 30) throw broken('The file ends in its header');
  const isLarge = head.readUInt16BE(4) === 2;
  const [height, width, depth] = [
    head.readUInt32BE(14),
    head.readUInt32BE(18),
    head.readUInt16BE(22),
  ];
  const channels = head.readUInt16BE(12);
  if (width < 1 || height < 1 || channels < 1 || channels > 56 || ![1, 8, 16, 32].includes(depth))
    throw broken('The header makes no sense');
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE)
    throw new MediaError('too-large', `The picture has ${width} × ${height} pixels`);
  const paletteLength = head.readUInt32BE(26);
  const palette = await readAt(file, 30, Math.min(768, paletteLength));
  const resourcesAt = 30 + paletteLength;
  const resourcesLength = await readLength(file, resourcesAt);
  const layersAt = resourcesAt + 4 + resourcesLength;
  const size = isLarge ? 8 : 4;
  const layersLength = await readLength(file, layersAt, size);
  const layers = await readAt(file, layersAt + size, size + 2);
  const layerCount =
    layersLength > size + 2 && layers.length === size + 2 ? layers.readInt16BE(size) : 0;
  return {
    width,
    height,
    depth,
    channels,
    isLarge,
    palette,
    colourMode: head.readUInt16BE(24),
    resources: await readResources(file, resourcesAt + 4, resourcesLength),
    hasTransparency: layerCount < 0,
    start: layersAt + size + layersLength,
  };
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(at)) return Buffer.alloc(0);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

async function readLength(file: FileHandle, at: number, size = 4): Promise<number> {
  const bytes = await readAt(file, at, size);
  if (bytes.length < size) return 0;
  return size === 8 ? Number(bytes.readBigUInt64BE(0)) : bytes.readUInt32BE(0);
}

async function readResources(file: FileHandle, start: number, length: number) {
  const wanted: ReadonlySet<number> = new Set(Object.values(RESOURCE));
  const found = new Map<number, Buffer>();
  let at = start;
  for (let count = 0; at + 12 <= start + length && count < MAX_RESOURCES; count++) {
    const head = await readAt(file, at, 7);
    if (head.length < 7 || head.toString('latin1', 0, 4) !== '8BIM') break;
    // The name and the data are padded to an even length.
    const lengthAt = at + 6 + 2 * Math.ceil((head.readUInt8(6) + 1) / 2);
    const size = await readLength(file, lengthAt);
    const id = head.readUInt16BE(4);
    if (wanted.has(id) && size <= MAX_RESOURCE_BYTES)
      found.set(id, await readAt(file, lengthAt + 4, size));
    at = lengthAt + 4 + 2 * Math.ceil(size / 2);
  }
  return found;
}

async function readComposite(
  file: FileHandle,
  document: Document,
  [mode, colours]: Mode,
): Promise<PhotoshopPicture> {
  const { width, height, channels, resources } = document;
  if (channels < colours) throw broken('Planes of colour are missing');
  const hasAlpha = document.hasTransparency && channels > colours && mode !== 'palette';
  const read = colours + Number(hasAlpha);
  // libvips mixes up grey and transparency in planes of their own, and takes Lab in one only.
  const isSpread = mode === 'palette' || (mode === 'gray' && hasAlpha);
  const isConverted = isSpread || mode === 'lab';
  const each = width * height;
  const layout: Planes = {
    width,
    height,
    hasAlpha,
    mode: isSpread || mode === 'lab' ? 'rgb' : mode,
    count: isSpread ? 3 + Number(hasAlpha) : read,
    // The profile does not fit other colours.
    icc: isConverted ? undefined : resources.get(RESOURCE.icc),
  };
  if (each * layout.count > MAX_PLANE_BYTES)
    throw new MediaError('too-large', `The picture has ${width} × ${height} pixels`);
  const header = buildTiffHeader(layout);
  const tiff = Buffer.alloc(header.length + each * layout.count, mode === 'lab' ? 128 : 255);
  header.copy(tiff);
  const planes = tiff.subarray(header.length);
  const { missing } = await readPlanes(file, document, planes.subarray(0, each * read));
  if (missing >= height * read) throw broken('The file ends before its first row');
  if (mode === 'cmyk') invert(planes.subarray(0, each * 4));
  if (mode === 'lab') convertLab(planes, each);
  if (mode === 'palette') applyPalette(planes, document.palette, each);
  else if (isSpread) {
    planes.copyWithin(each * 3, each, each * 2);
    for (const plane of [1, 2]) planes.copyWithin(each * plane, 0, each);
  }
  const damage = missing > 0 ? 'The file ends within its picture' : undefined;
  return { bytes: await toSrgb(tiff), isJpeg: false, width, height, damage };
}

async function toSrgb(tiff: Buffer): Promise<Buffer> {
  const input = { limitInputPixels: MAX_PIXELS, sequentialRead: true } as const;
  const image = sharp(tiff, input).toColourspace('srgb');
  const bytes = await image.tiff({ compression: 'lzw' }).toBuffer();
  if (bytes.length > MAX_RESULT_BYTES)
    throw new MediaError('too-large', 'The picture is too large');
  return bytes;
}

/** A picture of eight bits per sample, one plane after the other, as TIFF 6.0 has it in PlanarConfiguration 2. */
type Planes = {
  readonly width: number;
  readonly height: number;
  readonly mode: 'gray' | 'rgb' | 'cmyk';
  readonly count: number;
  /** The plane behind the colours is transparency. */
  readonly hasAlpha: boolean;
  readonly icc: Uint8Array | undefined;
};

const PHOTOMETRIC = { gray: 1, rgb: 2, cmyk: 5 } as const;
const TYPE_BYTES = { 2: 1, 3: 2, 4: 4, 7: 1 } as const;
type Tag = readonly [id: number, type: keyof typeof TYPE_BYTES, values: readonly number[]];

/** Returns the header of a TIFF; the planes follow it. libvips then knows all colours and profiles. */
function buildTiffHeader(planes: Planes): Buffer {
  const { width, height, mode, count, hasAlpha, icc } = planes;
  const each = width * height;
  const repeat = (value: number) => Array.from({ length: count }, () => value);
  const build = (start: number): Tag[] => [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, repeat(8)],
    [259, 3, [1]],
    [262, 3, [PHOTOMETRIC[mode]]],
    [273, 4, repeat(0).map((_, at) => start + at * each)],
    [277, 3, [count]],
    [278, 4, [height]],
    [279, 4, repeat(each)],
    [284, 3, [2]],
    ...(hasAlpha ? ([[338, 3, [2]]] as const) : []),
    ...(icc ? ([[34_675, 7, [...icc]]] as const) : []),
  ];
  const { length } = writeTags(build(0));
  return writeTags(build(length));
}

function writeTags(tags: readonly Tag[]): Buffer {
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16BE(tags.length, 0);
  const extra: Buffer[] = [];
  let at = 8 + directory.length;
  for (const [index, [id, type, values]] of tags.entries()) {
    const size = TYPE_BYTES[type];
    const bytes = Buffer.alloc(Math.max(4, values.length * size));
    for (const [n, value] of values.entries()) bytes.writeUIntBE(value, n * size, size);
    const entry = 2 + index * 12;
    directory.writeUInt16BE(id, entry);
    directory.writeUInt16BE(type, entry + 2);
    directory.writeUInt32BE(values.length, entry + 4);
    if (bytes.length === 4) bytes.copy(directory, entry + 8);
    else {
      directory.writeUInt32BE(at, entry + 8);
      extra.push(bytes);
      at += bytes.length;
    }
  }
  return Buffer.concat([Buffer.from('MM\0*\0\0\0\x08', 'latin1'), directory, ...extra]);
}
