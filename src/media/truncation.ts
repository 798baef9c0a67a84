import type { FileHandle } from 'node:fs/promises';
import { openFile } from '../core/guarded-path.ts';

// Headers of containers tell how long their parts are. Only lengths are read here, nothing is decoded.

/** A film in parts has two boxes for each. */
const MAX_BOXES = 50_000;
/** Boxes that hold frames, or tell where they are. */
const NEEDED: ReadonlySet<string> = new Set(['moov', 'moof', 'mdat']);
const FIRST: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip']);
const EBML = 0x1a45dfa3;
const MATROSKA_SEGMENT = 0x18538067;

/**
 * Returns that the end of a video or sound file is missing; undefined where its container does not say how
 * long it has to be, as MPEG streams, and for all but MP4, QuickTime, Matroska and WebM.
 */
export async function findTruncation(path: string): Promise<string | undefined> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const head = await readAt(file, 0);
    const end = FIRST.has(head.toString('latin1', 4, 8))
      ? await findEndOfBoxes(file, size)
      : await findEndOfSegment(file, head);
    return end !== undefined && end > size
      ? `The file ends ${end - size} bytes too early`
      : undefined;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(16), 0, 16, at);
  return buffer.subarray(0, bytesRead);
}

/** Returns where the last needed box would end; undefined where the lengths make no sense. */
async function findEndOfBoxes(file: FileHandle, size: number): Promise<number | undefined> {
  let at = 0;
  for (let count = 0; at < size && count < MAX_BOXES; count++) {
    const head = await readAt(file, at);
    if (head.length < 8) return undefined;
    const isLong = head.readUInt32BE(0) === 1;
    if (isLong && head.length < 16) return undefined;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0);
    if (length < (isLong ? 16 : 8) || !Number.isSafeInteger(at + length)) return undefined;
    at += length;
    if (at > size) return NEEDED.has(head.toString('latin1', 4, 8)) ? at : undefined;
  }
  return undefined;
}

/** Returns where the one segment of a Matroska file ends; undefined where a live stream did not know. */
async function findEndOfSegment(file: FileHandle, head: Buffer): Promise<number | undefined> {
  if (head.length < 16 || head.readUInt32BE(0) !== EBML) return undefined;
  const header = readLength(head.subarray(4));
  if (!header) return undefined;
  const at = 4 + header.bytes + header.value;
  const segment = await readAt(file, at);
  if (segment.length < 12 || segment.readUInt32BE(0) !== MATROSKA_SEGMENT) return undefined;
  const length = readLength(segment.subarray(4));
  return length && at + 4 + length.bytes + length.value;
}

/** Reads a number of variable length (RFC 8794 §4); undefined for one that says "unknown". */
function readLength(bytes: Buffer): { readonly value: number; readonly bytes: number } | undefined {
  const first = bytes.readUInt8(0);
  const count = Math.clz32(first) - 23;
  if (count > 8 || bytes.length < count) return undefined;
  let value = BigInt(first & (0xff >> count));
  for (const byte of bytes.subarray(1, count)) value = (value << 8n) | BigInt(byte);
  const isUnknown = value === (1n << BigInt(7 * count)) - 1n;
  return isUnknown || value > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : { value: Number(value), bytes: count };
}
