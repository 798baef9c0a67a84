import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp, { type SharpOptions } from 'sharp';
import { createExifTool } from '../../src/media/exiftool.ts';
import { renderImage } from '../../src/media/images.ts';
import { readMetadata } from '../../src/media/metadata.ts';
import { openFixtures } from '../fixtures/index.ts';
import { FULL_FILE_ACCESS } from './file-access.ts';

const FILES = join(import.meta.dir, '../field/files');

/** HEICs of heif-enc 1.15 without any turn or colours: quarters of 96 × 64 pixels, and two greys in ten bits. */
export const readHeic = (name: 'quarters' | 'greys'): Buffer =>
  readFileSync(join(FILES, `${name}.heic`));

const box = (type: string, body: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(body, 8);
  return bytes;
};
/** Quarters to the left. */
export const irot = (quarters: number) => box('irot', [quarters]);
/** 0 exchanges top and bottom, 1 left and right. */
export const imir = (axis: number) => box('imir', [axis]);
export const nclx = (primaries: number, transfer: number, matrix = 6) =>
  box('colr', [...Buffer.from('nclx'), 0, primaries, 0, transfer, 0, matrix, 0x80]);

/** Adds properties to the only picture of such a HEIC, or to none. */
export function addProperties(heic: Buffer, boxes: readonly Buffer[], isOwn = true): Buffer {
  const added = Buffer.concat(boxes);
  const links = isOwn ? boxes.length : 0;
  const [meta, iprp, ipco, ipma] = ['meta', 'iprp', 'ipco', 'ipma'].map(
    (type) => heic.indexOf(type, 0, 'latin1') - 4,
  ) as [number, number, number, number];
  const all = added.length + links;
  const bytes = Buffer.from(heic);
  const grow = (at: number, by: number) => bytes.writeUInt32BE(bytes.readUInt32BE(at) + by, at);
  grow(meta, all);
  grow(iprp, all);
  const end = ipco + bytes.readUInt32BE(ipco);
  const known = countBoxes(bytes.subarray(ipco + 8, end));
  grow(ipco, added.length);
  grow(ipma, links);
  // The base of the first item, behind its id and the number of its file.
  grow(bytes.indexOf('iloc', 0, 'latin1') + 4 + 4 + 2 + 2 + 4, all);
  const count = ipma + 8 + 4 + 4 + 2;
  bytes.writeUInt8(bytes.readUInt8(count) + links, count);
  const indexes = boxes.slice(0, links).map((_, at) => known + 1 + at);
  const behind = count + 1 + heic.readUInt8(count);
  return Buffer.concat([
    bytes.subarray(0, end),
    added,
    bytes.subarray(end, behind),
    Buffer.from(indexes),
    bytes.subarray(behind),
  ]);
}

function countBoxes(data: Buffer): number {
  let count = 0;
  for (let at = 0; at < data.length; at += data.readUInt32BE(at)) count++;
  return count;
}

export const pngChunk = (type: string, body: Uint8Array): Buffer => {
  const tail = Buffer.alloc(4);
  const content = Buffer.concat([Buffer.from(type), body]);
  tail.writeUInt32BE(Bun.hash.crc32(content));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length);
  return Buffer.concat([size, content, tail]);
};

/** The colour in the middle of each quarter: above left, right, below left, right. */
export async function readQuarters(bytes: Uint8Array): Promise<number[][]> {
  const image = sharp(bytes, { ignoreIcc: true } as SharpOptions).removeAlpha();
  const { data, info } = await image
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const start = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3;
    return [...data.subarray(start, start + 3)];
  };
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
}

/** 'R', 'G', 'B' or 'W' by quarter. */
export const nameQuarters = (colors: readonly number[][]): string =>
  colors
    .map(([r, g, b]) =>
      Math.min(r!, g!, b!) > 150 ? 'W' : 'RGB'[[r, g, b].indexOf(Math.max(r!, g!, b!))],
    )
    .join('');

/** Tools that render a file and read its metadata as the jobs do. */
export function openFieldPictures() {
  const fixtures = openFixtures();
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
  const options = (fileName: string) => ({ fileName, fallbackTime: new Date(0), ownerZone: 'UTC' });
  return {
    fixtures,
    save: async (name: string, bytes: Uint8Array): Promise<string> => {
      await Bun.write(fixtures.path(name), bytes);
      return fixtures.path(name);
    },
    read: (path: string) => readMetadata(exiftool, path, options(basename(path))),
    /** Without what the metadata tell, as where a picture is rendered before they are read. */
    render: (path: string, metadata?: { colorspace?: string; orientation?: number }) => {
      const fileName = basename(path);
      return renderImage(path, { fileName, tempDir: fixtures.folder, exiftool, metadata });
    },
    close: async () => {
      await exiftool.close();
      fixtures.remove();
    },
  };
}
