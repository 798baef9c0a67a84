import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';
import { ENDLESS_DRAWING, EVIL_DRAWINGS } from './drawings.ts';
import { cacheFixture, readSource } from '../fixtures/fixture-cache.ts';

// Small files whose pictures would fill the memory of a small machine, and files that are not what
// they say. Each is made as an attacker would make it.

const GREY = '#777';
const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: GREY } });

const AVIF = join(import.meta.dir, '../fixtures/16000x9000.avif');

/** Expected outcome: a verdict by the header, or any end. */
export type Bomb = {
  readonly name: string;
  readonly fate: 'too-large' | 'any';
  readonly make: (path: string) => Promise<unknown>;
};

export const BOMBS: readonly Bomb[] = [
  // 2 KB that take 2.6 GB and eight seconds; sharp needs some 14 seconds to write it:
  // sharp({ create: … }).avif({ effort: 0, quality: 30 }).
  ...['1', '2', '3'].map((n): Bomb => ({
    name: `square${n}.avif`,
    fate: 'too-large',
    make: async (path) => Bun.write(path, padded(await Bun.file(AVIF).bytes(), n)),
  })),
  // The same, but its container says 64 × 64.
  {
    name: 'lying.avif',
    fate: 'any',
    make: async (path) => {
      const bytes = Buffer.from(await Bun.file(AVIF).bytes());
      const at = bytes.indexOf('ispe') + 8;
      bytes.writeUInt32BE(64, at);
      bytes.writeUInt32BE(64, at + 4);
      return Bun.write(path, bytes);
    },
  },
  ...['1', '2', '3'].map((n): Bomb => ({
    name: `progressive${n}.jpg`,
    fate: 'too-large',
    make: async (path) =>
      flat(12_000, 9000 + Number(n))
        .jpeg({ progressive: true, chromaSubsampling: '4:4:4', quality: 40 })
        .toFile(path),
  })),
  {
    name: 'scans.jpg',
    fate: 'too-large',
    make: async (path) =>
      Bun.write(path, manyScans(await flat(4000, 3000).jpeg({ progressive: true }).toBuffer())),
  },
  {
    name: 'interlaced.png',
    fate: 'too-large',
    make: (path) => Bun.write(path, buildPng(12_000, 12_000, { depth: 16, isInterlaced: true })),
  },
  {
    name: 'rows.png',
    fate: 'any',
    make: (path) => Bun.write(path, buildPng(20_000, 14_000, { depth: 8, isInterlaced: false })),
  },
  {
    name: 'text.png',
    fate: 'any',
    make: async (path) => Bun.write(path, withTextChunk(await flat(64, 64).png().toBuffer())),
  },
  {
    name: 'canvas.gif',
    fate: 'too-large',
    make: async (path) => {
      const bytes = await flat(8, 8).gif().toBuffer();
      bytes.writeUInt16LE(65_535, 6);
      bytes.writeUInt16LE(65_535, 8);
      return Bun.write(path, bytes);
    },
  },
  {
    name: 'lossless.webp',
    fate: 'too-large',
    make: (path) => flat(12_000, 9000).webp({ lossless: true, effort: 0 }).toFile(path),
  },
  {
    name: 'strip.tif',
    fate: 'too-large',
    make: (path) => Bun.write(path, buildTiff(20_000, 14_000)),
  },
  { name: 'drawing.jpg', fate: 'too-large', make: (path) => Bun.write(path, SVG) },
  ...EVIL_DRAWINGS.map(({ name, kind, svg }): Bomb => ({
    name,
    fate: kind === 'too-large' ? kind : 'any',
    make: (path) => Bun.write(path, svg()),
  })),
  { name: 'endless.svg', fate: 'any', make: (path) => Bun.write(path, ENDLESS_DRAWING) },
  {
    name: 'bitmap.bmp',
    fate: 'any',
    make: async (path) => {
      const bytes = Buffer.alloc(4096);
      bytes.write('BM');
      [4096, 0, 54, 40, 60_000, 60_000].forEach((value, at) =>
        bytes.writeUInt32LE(value, 2 + 4 * at),
      );
      bytes.writeUInt16LE(1, 26);
      bytes.writeUInt16LE(24, 28);
      return Bun.write(path, bytes);
    },
  },
  { name: 'header.jxl', fate: 'too-large', make: (path) => Bun.write(path, buildJxl(60_000)) },
  {
    name: 'header.jp2',
    fate: 'too-large',
    make: async (path) => {
      const source = ['-f', 'lavfi', '-i', 'color=c=gray:size=64x64'];
      makeClip(path, [...source, '-frames:v', '1', '-c:v', 'jpeg2000']);
      const bytes = Buffer.from(await Bun.file(path).bytes());
      const [box, codestream] = [bytes.indexOf('ihdr') + 4, bytes.indexOf('ff4fff51', 0, 'hex')];
      // The size of the picture, and that of its tiles.
      for (const at of [box, box + 4, ...[8, 12, 24, 28].map((offset) => codestream + offset)])
        bytes.writeUInt32BE(60_000, at);
      return Bun.write(path, bytes);
    },
  },
  { name: 'grid.heic', fate: 'too-large', make: (path) => Bun.write(path, buildGrid(60_000)) },
  // The same, but its properties say 64 × 64.
  { name: 'lying.heic', fate: 'any', make: (path) => Bun.write(path, buildGrid(64)) },
  { name: 'empty.dng', fate: 'any', make: (path) => Bun.write(path, buildTiff(60_000, 60_000)) },
  {
    name: 'wide.mov',
    fate: 'too-large',
    make: async (path) => {
      const source = ['-f', 'lavfi', '-i', 'color=c=gray:size=16000x16000:rate=1'];
      makeClip(path, [...source, '-frames:v', '1', '-pix_fmt', 'gray', '-c:v', 'png']);
    },
  },
];

/** Returns the paths of all of them. */
export async function makeBombs(folder: string): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true });
  const paths = new Map<string, string>();
  const source = readSource(import.meta.path);
  for (const { name, make } of BOMBS)
    paths.set(name, await cacheFixture(join(folder, name), [source, name], make));
  return paths;
}

const padded = (bytes: Uint8Array, more: string) => Buffer.concat([bytes, Buffer.from(more)]);

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000">
  <filter id="f"><feGaussianBlur stdDeviation="900"/></filter>
  <rect width="60000" height="60000" filter="url(#f)"/></svg>`;

/** Its last scan again and again: each passes over all pixels. */
function manyScans(jpeg: Buffer): Buffer {
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(last, jpeg.length - 2);
  const scans = Array.from({ length: 2000 }, () => scan);
  return Buffer.concat([jpeg.subarray(0, last), ...scans, jpeg.subarray(-2)]);
}

function chunk(type: string, body: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), body, Buffer.alloc(4)]);
  bytes.writeUInt32BE(body.length, 0);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** A square of which nothing but the header is there: numbers of so many bits, the lowest first. */
function buildJxl(side: number): Buffer {
  const fields = [
    [0, 1],
    [3, 2],
    [side - 1, 30],
    [1, 3],
    [7, 3],
  ] as const;
  let [bits, count] = [0n, 0n];
  for (const [value, width] of fields) {
    bits |= BigInt(value) << count;
    count += BigInt(width);
  }
  const bytes = Buffer.alloc(80);
  bytes.writeUInt16BE(0xff0a);
  bytes.writeBigUInt64LE(bits, 2);
  return bytes;
}

const u16 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => bytes.writeUInt16BE(value, at * 2));
  return bytes;
};
const u32 = (...values: number[]) =>
  u16(...values.flatMap((value) => [value >>> 16, value & 0xffff]));

function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body]);
}

/** A HEIC of 60,000 × 60,000 in 255 × 255 tiles, each of which is the picture itself again. */
function buildGrid(claimed: number): Buffer {
  const tiles = 255 * 255;
  const grid = Buffer.concat([Buffer.from([0, 1, 254, 254]), u32(60_000, 60_000)]);
  const item = box('infe', u32(2 << 24), u16(1, 0), 'grid\0');
  const references = box('dimg', u16(1, tiles, ...Array.from({ length: tiles }, () => 1)));
  const properties = box('ipco', box('ispe', u32(0, claimed, claimed)));
  const association = box('ipma', u32(0, 1), u16(1), Buffer.from([1, 0x81]));
  const location = [u32(1 << 24), u16(0x4400, 1, 1, 1, 0, 1), u32(0, grid.length)];
  return Buffer.concat([
    box('ftyp', 'heic', u32(0), 'mif1heic'),
    box(
      'meta',
      u32(0),
      box('hdlr', u32(0, 0), 'pict', Buffer.alloc(13)),
      box('pitm', u32(0), u16(1)),
      box('iinf', u32(0), u16(1), item),
      box('iref', u32(0), references),
      box('iprp', properties, association),
      box('iloc', ...location),
      box('idat', grid),
    ),
  ]);
}

type PngKind = { readonly depth: 8 | 16; readonly isInterlaced: boolean };

/** All pixels are 0, so that they weigh a thousandth. */
function buildPng(width: number, height: number, { depth, isInterlaced }: PngKind): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 2, 0, 0, isInterlaced ? 1 : 0], 8);
  const bytes = isInterlaced ? 1_000_000 : (width * 3 + 1) * height;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const pixels = deflateSync(Buffer.alloc(bytes), { level: 1 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** So many bytes of text in a thousandth of them. */
export function withTextChunk(png: Buffer, bytes = 200_000_000): Buffer {
  const text = deflateSync(Buffer.alloc(bytes, 'x'), { level: 9 });
  const body = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), text]);
  return Buffer.concat([png.subarray(0, 33), chunk('zTXt', body), png.subarray(33)]);
}

/** One compressed strip that holds the whole picture. */
function buildTiff(width: number, height: number): Buffer {
  const strip = deflateSync(Buffer.alloc(2_000_000));
  const entries = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 8],
    [262, 3, 1],
    [273, 4, 8 + 2 + 9 * 12 + 4],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, strip.length],
  ] as const;
  const head = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  entries.forEach(([tag, type, value], index) => {
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  });
  return Buffer.concat([head, strip]);
}
