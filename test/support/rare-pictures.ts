import sharp from 'sharp';
import { quarters } from '../fixtures/index.ts';

// Pictures of `quarters` in forms that no tool at hand writes.

export const RARE_SIZE = { width: 64, height: 48 };
const { width: WIDTH, height: HEIGHT } = RARE_SIZE;

/** Red, green and blue of each pixel, row by row. */
export const readRarePixels = async (): Promise<Buffer> =>
  sharp(await quarters(WIDTH, HEIGHT).png().toBuffer())
    .removeAlpha()
    .raw()
    .toBuffer();

type TiffTag = readonly [id: number, values: readonly number[]];

/** A TIFF of one strip; the tags name all but its place. */
export function writeTiff(tags: readonly TiffTag[], data: Uint8Array): Buffer {
  const all: TiffTag[] = [
    [256, [WIDTH]],
    [257, [HEIGHT]],
    [278, [HEIGHT]],
    [279, [data.length]],
    ...tags,
  ];
  const sorted = [...all, [273, [8]] as TiffTag].toSorted(([a], [b]) => a - b);
  const far: Buffer[] = [
    data.length % 2 ? Buffer.concat([data, Buffer.alloc(1)]) : Buffer.from(data),
  ];
  let at = 8 + far[0]!.length;
  const entries = sorted.map(([id, values]) => {
    const entry = Buffer.alloc(12);
    entry.writeUInt16LE(id, 0);
    entry.writeUInt16LE(values.length > 1 ? 3 : 4, 2);
    entry.writeUInt32LE(values.length, 4);
    if (values.length === 1) entry.writeUInt32LE(values[0]!, 8);
    else {
      const list = Buffer.from(Uint16Array.from(values).buffer);
      entry.writeUInt32LE(at, 8);
      far.push(list);
      at += list.length;
    }
    return entry;
  });
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(at, 4);
  const count = Buffer.alloc(2);
  count.writeUInt16LE(entries.length);
  return Buffer.concat([head, ...far, count, ...entries, Buffer.alloc(4)]);
}

type BmpForm = {
  readonly bits: 16 | 32;
  /** 0: no masks, 3: of three or four fields, 6: of four behind a header that knows three. */
  readonly scheme: 0 | 3 | 6;
  /** Of red, green, blue and alpha. */
  readonly masks: readonly number[];
  /** Alpha of a pixel by its number, 0 to 1. */
  readonly alpha?: (pixel: number) => number;
};

/** A BMP whose pixels have these fields. */
export async function writeBmp({ bits, scheme, masks, alpha = () => 1 }: BmpForm): Promise<Buffer> {
  const pixels = await readRarePixels();
  const hasAlpha = masks.length > 3;
  const headerBytes = scheme === 3 && hasAlpha ? 56 : 40;
  const start = 14 + 40 + (scheme === 0 ? 0 : masks.length * 4);
  const bytes = Buffer.alloc(start + WIDTH * HEIGHT * (bits / 8));
  bytes.write('BM');
  for (const [at, value] of [
    [2, bytes.length],
    [10, start],
    [14, headerBytes],
    [18, WIDTH],
    [22, HEIGHT],
    [26, 1 + bits * 65_536],
    [30, scheme],
    [34, bytes.length - start],
  ] as const)
    bytes.writeUInt32LE(value, at);
  if (scheme !== 0)
    for (const [at, mask] of masks.entries()) bytes.writeUInt32LE(mask, 54 + at * 4);
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    const values = [...pixels.subarray(pixel * 3, pixel * 3 + 3)].map((value) => value / 255);
    const row = HEIGHT - 1 - Math.floor(pixel / WIDTH);
    let word = 0;
    for (const [at, mask] of masks.entries()) {
      const unit = mask & -mask;
      const most = (mask >>> 0) / (unit >>> 0);
      word += Math.round((values[at] ?? alpha(pixel)) * most) * (unit >>> 0);
    }
    const to = start + (row * WIDTH + (pixel % WIDTH)) * (bits / 8);
    bytes.writeUIntLE(word, to, bits / 8);
  }
  return bytes;
}

/** A TGA of a grey ramp from left to right with full alpha, the lowest row first. */
export function writeGreyAlphaTga(isPacked: boolean): Buffer {
  const head = Buffer.alloc(18);
  head[2] = isPacked ? 11 : 3;
  head.writeUInt16LE(WIDTH, 12);
  head.writeUInt16LE(HEIGHT, 14);
  head[16] = 16;
  head[17] = 8;
  const row = Array.from({ length: WIDTH }, (_, x) => [x * 4, 255]);
  // A packet for each pixel.
  const packed = row.flatMap((pixel) => (isPacked ? [0x80, ...pixel] : pixel));
  return Buffer.concat([head, ...Array.from({ length: HEIGHT }, () => Buffer.from(packed))]);
}
