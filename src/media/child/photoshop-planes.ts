import type { FileHandle } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { MediaError, unsupported } from '../errors.ts';
import { toSrgb } from './lab.ts';

/** The merged picture of a Photoshop file: planes, one after the other. */
export type Composite = {
  /** Where its data begins. */
  readonly start: number;
  readonly width: number;
  readonly height: number;
  /** Bits per sample: 1, 8, 16 or 32. */
  readonly depth: number;
  /** Planes that the file has. */
  readonly channels: number;
  /** Photoshop's format for large documents: lengths have four bytes. */
  readonly isLarge: boolean;
};

const CHUNK_BYTES = 4 * 1024 ** 2;
/** Compressed by deflate all at once: more is not decoded. */
const MAX_ZIPPED_BYTES = 200 * 1024 ** 2;

/**
 * Reads the first planes as eight bits per sample. What the file does not have is left as it was in
 * `target`; `missing` is the number of rows of it.
 */
export async function readPlanes(
  file: FileHandle,
  composite: Composite,
  target: Uint8Array,
): Promise<{ readonly missing: number }> {
  const { start, width, height, depth } = composite;
  const rowBytes = Math.ceil((width * depth) / 8);
  const rows = target.length / width;
  const compression = (await read(file, start, 2)).readUInt16BE(0);
  const put = (row: number, samples: Uint8Array) =>
    convertRow(samples, depth, target.subarray(row * width, (row + 1) * width));
  if (compression === 0) return readRaw(file, start + 2, { rows, rowBytes }, put);
  if (compression === 1) return readRle(file, composite, { rows, rowBytes }, put);
  if (compression !== 2 && compression !== 3)
    throw unsupported(`The picture is compressed by method ${compression}`);
  const all = rowBytes * height * composite.channels;
  if (all > MAX_ZIPPED_BYTES || (compression === 3 && depth > 16))
    throw unsupported('The picture is compressed by ZIP in a way that is not read');
  const { size } = await file.stat();
  const zipped = await read(file, start + 2, Math.min(size - start - 2, MAX_ZIPPED_BYTES));
  const samples = inflateSync(zipped, { maxOutputLength: all, finishFlush: 2 });
  const whole = Math.min(rows, Math.floor(samples.length / rowBytes));
  for (let row = 0; row < whole; row++) {
    const line = samples.subarray(row * rowBytes, (row + 1) * rowBytes);
    if (compression === 3) undoPrediction(line, depth / 8);
    put(row, line);
  }
  return { missing: rows - whole };
}

type Put = (row: number, samples: Uint8Array) => void;
type Rows = { readonly rows: number; readonly rowBytes: number };

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return bytesRead < 2 ? Buffer.alloc(2) : buffer.subarray(0, bytesRead);
}

async function readRaw(file: FileHandle, start: number, { rows, rowBytes }: Rows, put: Put) {
  const step = Math.max(1, Math.floor(CHUNK_BYTES / rowBytes));
  for (let row = 0; row < rows; row += step) {
    const wanted = Math.min(step, rows - row);
    const bytes = await read(file, start + row * rowBytes, wanted * rowBytes);
    const whole = Math.floor(bytes.length / rowBytes);
    for (let at = 0; at < whole; at++)
      put(row + at, bytes.subarray(at * rowBytes, (at + 1) * rowBytes));
    if (whole < wanted) return { missing: rows - row - whole };
  }
  return { missing: 0 };
}

/** PackBits, row by row; the lengths of all rows of all planes come first. */
async function readRle(
  file: FileHandle,
  { start, height, channels, isLarge }: Composite,
  { rows, rowBytes }: Rows,
  put: Put,
) {
  const size = isLarge ? 4 : 2;
  const table = await read(file, start + 2, rows * size);
  let at = start + 2 + height * channels * size;
  let chunk: Buffer = Buffer.alloc(0);
  let chunkStart = at;
  const line = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row++) {
    if ((row + 1) * size > table.length) return { missing: rows - row };
    const length = table.readUIntBE(row * size, size);
    if (length > 2 * rowBytes + 256) throw new MediaError('broken', 'A row is too long');
    if (at + length > chunkStart + chunk.length) {
      chunk = await read(file, at, Math.max(CHUNK_BYTES, length));
      chunkStart = at;
    }
    const packed = chunk.subarray(at - chunkStart, at - chunkStart + length);
    if (packed.length < length) return { missing: rows - row };
    unpackBits(packed, line.fill(0));
    put(row, line);
    at += length;
  }
  return { missing: 0 };
}

function unpackBits(packed: Uint8Array, line: Uint8Array): void {
  let to = 0;
  for (let at = 0; at < packed.length && to < line.length;) {
    const code = packed[at++]!;
    if (code < 128) {
      const part = packed.subarray(at, at + Math.min(code + 1, line.length - to));
      line.set(part, to);
      to += code + 1;
      at += code + 1;
    } else if (code > 128) {
      line.fill(packed[at++] ?? 0, to, to + 257 - code);
      to += 257 - code;
    }
  }
}

/** Each sample is stored as the difference to the one before. */
function undoPrediction(line: Buffer, bytes: number): void {
  if (bytes === 2) {
    for (let at = 2; at + 1 < line.length; at += 2)
      line.writeUInt16BE((line.readUInt16BE(at) + line.readUInt16BE(at - 2)) & 0xffff, at);
  } else {
    for (let at = 1; at < line.length; at++) line[at] = (line[at]! + line[at - 1]!) & 0xff;
  }
}

/** Writes a row of samples of any depth as eight bits each. Single bits are 1 for black. */
function convertRow(samples: Uint8Array, depth: number, target: Uint8Array): void {
  if (depth === 8) target.set(samples.subarray(0, target.length));
  else if (depth === 16) {
    for (let at = 0; at < target.length; at++) target[at] = samples[at * 2]!;
  } else if (depth === 1) {
    for (let at = 0; at < target.length; at++)
      target[at] = (samples[at >> 3]! >> (7 - (at & 7))) & 1 ? 0 : 255;
  } else {
    const view = new DataView(samples.buffer, samples.byteOffset, samples.length);
    for (let at = 0; at < target.length; at++) target[at] = toSrgb(view.getFloat32(at * 4));
  }
}

/** Replaces the indices in the first of three planes; the palette has all reds first. */
export function applyPalette(planes: Uint8Array, palette: Uint8Array, each: number): void {
  for (let at = 0; at < each; at++) {
    const index = planes[at]!;
    for (const plane of [0, 1, 2]) planes[plane * each + at] = palette[plane * 256 + index] ?? 0;
  }
}

/** Replaces samples by what they lack to white: Photoshop stores inks this way around. */
export function invert(samples: Uint8Array): void {
  for (let at = 0; at < samples.length; at++) samples[at] = 255 - samples[at]!;
}
