import { type FileHandle, open } from 'node:fs/promises';
import type { NamedColor } from './icc.ts';

const MAX_BOXES = 100;
const MAX_META_BYTES = 4 * 1024 ** 2;

/** The description of the picture that is shown, not of its gain map, depth or tiles. */
export type HeifPrimary = {
  /** EXIF number of the turn that decoders make; undefined where the file has no box for it. */
  readonly turn: number | undefined;
  readonly color: NamedColor | undefined;
  readonly hasProfile: boolean;
  /** Whether it is made of tiles. */
  readonly isGrid: boolean;
};

/** Undefined where the file describes no such picture. */
export async function readHeifPrimary(path: string): Promise<HeifPrimary | undefined> {
  const file = await open(path, 'r');
  try {
    const meta = await readTopBox(file, 'meta');
    return meta && parsePrimary(meta);
  } catch (error) {
    // A box says that it goes on behind the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

/** ISO/IEC 23008-12 §7.5 and MIAF: auxiliary pictures of depth and gain have other names. */
const ALPHA_NAMES = [
  'urn:mpeg:hevc:2015:auxid:1\0',
  'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0',
];

/** Returns whether a HEIF file describes transparency. */
export async function hasHeifAlpha(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const meta = await readTopBox(file, 'meta');
    return ALPHA_NAMES.some((name) => meta?.includes(name, 0, 'latin1'));
  } finally {
    await file.close();
  }
}

/** The first such box at the top of the file with its header, at most `MAX_META_BYTES` of it. */
export async function readTopBox(file: FileHandle, type: string): Promise<Buffer | undefined> {
  const head = Buffer.alloc(16);
  for (let at = 0, count = 0; count < MAX_BOXES; count++) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    if (bytesRead < 8) return undefined;
    const small = head.readUInt32BE(0);
    const size = small === 1 ? Number(head.readBigUInt64BE(8)) : small;
    if (head.toString('latin1', 4, 8) === type) {
      const body = Buffer.alloc(Math.min(size === 0 ? MAX_META_BYTES : size, MAX_META_BYTES));
      const read = await file.read(body, 0, body.length, at);
      return body.subarray(0, read.bytesRead);
    }
    at += size;
    if (size < 8 || !Number.isSafeInteger(at)) return undefined;
  }
  return undefined;
}

type Box = { readonly type: string; readonly body: Buffer };

function listBoxes(data: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= data.length;) {
    const size = data.readUInt32BE(at);
    if (size < 8) break;
    const type = data.toString('latin1', at + 4, at + 8);
    boxes.push({ type, body: data.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

const findBox = (boxes: readonly Box[], type: string) =>
  boxes.find((box) => box.type === type)?.body;

/** Version and flags come before the content. */
const FULL = 4;

function parsePrimary(meta: Buffer): HeifPrimary | undefined {
  const header = meta.readUInt32BE(0) === 1 ? 16 : 8;
  const boxes = listBoxes(meta.subarray(header + FULL));
  const named = findBox(boxes, 'pitm');
  const properties = listBoxes(findBox(boxes, 'iprp') ?? Buffer.alloc(0));
  const list = findBox(properties, 'ipco');
  if (!named || !list) return undefined;
  const id = readId(named, FULL, named[0] !== 0);
  const all = listBoxes(list);
  const byItem = readAssociations(properties);
  const own = (item: number) => (byItem.get(item) ?? []).flatMap((index) => all[index - 1] ?? []);
  const parts = listParts(findBox(boxes, 'iref'), id);
  // Some cameras describe the colours of the tiles only.
  const described = own(id).some(isColor) ? own(id) : parts.slice(0, 1).flatMap(own);
  const colors = described.filter(isColor);
  const numbers = colors.find(({ body }) => isNumbers(body))?.body;
  return {
    turn: computeTurn(own(id)),
    color: numbers && { primaries: numbers.readUInt16BE(4), transfer: numbers.readUInt16BE(6) },
    isGrid: parts.length > 0,
    hasProfile: colors.some(({ body }) => !isNumbers(body)),
  };
}

const readId = (data: Buffer, at: number, isLong: boolean) =>
  isLong ? data.readUInt32BE(at) : data.readUInt16BE(at);

/** Numbers of properties by item, in the order in which they apply. */
function readAssociations(properties: readonly Box[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const { type, body } of properties) {
    if (type !== 'ipma') continue;
    const [hasLongIds, hasLongIndexes] = [body[0] !== 0, (body.readUInt8(3) & 1) !== 0];
    let at = 8;
    for (let left = body.readUInt32BE(4); left > 0; left--) {
      const id = readId(body, at, hasLongIds);
      at += hasLongIds ? 4 : 2;
      const indexes = found.get(id) ?? [];
      for (let count = body.readUInt8(at++); count > 0; count--) {
        indexes.push(hasLongIndexes ? body.readUInt16BE(at) & 0x7fff : body.readUInt8(at) & 0x7f);
        at += hasLongIndexes ? 2 : 1;
      }
      found.set(id, indexes);
    }
  }
  return found;
}

/** The pictures of which this one is made. */
function listParts(references: Buffer | undefined, id: number): number[] {
  if (!references) return [];
  const isLong = references[0] !== 0;
  const step = isLong ? 4 : 2;
  return listBoxes(references.subarray(FULL)).flatMap(({ type, body }) => {
    if (type !== 'dimg' || readId(body, 0, isLong) !== id) return [];
    const count = body.readUInt16BE(step);
    return Array.from({ length: count }, (_, at) => readId(body, step + 2 + at * step, isLong));
  });
}

const isColor = ({ type }: Box) => type === 'colr';
const isNumbers = (body: Buffer) => body.toString('latin1', 0, 4) === 'nclx';

/** EXIF numbers by quarters clockwise, without and with a mirror, left to right, behind them. */
const NUMBERS = [
  [1, 6, 3, 8],
  [2, 5, 4, 7],
] as const;

function computeTurn(properties: readonly Box[]): number | undefined {
  let [quarters, isMirrored, isTold] = [0, false, false];
  for (const { type, body } of properties) {
    if (type !== 'irot' && type !== 'imir') continue;
    isTold = true;
    const value = body.readUInt8(0);
    // Counted to the left.
    if (type === 'irot') quarters += (isMirrored ? 1 : -1) * (value & 3);
    // 0 exchanges top and bottom, which is left and right, and half a turn.
    else [quarters, isMirrored] = [quarters + ((value & 1) === 0 ? 2 : 0), !isMirrored];
  }
  return isTold ? NUMBERS[isMirrored ? 1 : 0][((quarters % 4) + 4) % 4] : undefined;
}
