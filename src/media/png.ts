import { type FileHandle, open } from 'node:fs/promises';
import type { HdrColor } from './tonemap.ts';

const MAX_CHUNKS = 1000;
const MAX_BODY = 64;
/** The name of a profile that the W3C has given to PQ before PNG had numbers for it. */
const PQ_PROFILE = 'ITUR_2100_PQ_FULL\0';

/** Returns the colours that a PNG names by the numbers of ITU-T H.273. */
export async function readPngColor(path: string): Promise<HdrColor | undefined> {
  const file = await open(path, 'r');
  try {
    const [numbers, profile] = await readPngChunks(file, ['cICP', 'iCCP']);
    if (numbers && numbers.length >= 4)
      return { primaries: numbers.readUInt8(0), transfer: numbers.readUInt8(1) };
    const isPq = profile?.toString('latin1', 0, PQ_PROFILE.length) === PQ_PROFILE;
    return isPq ? { primaries: 9, transfer: 16 } : undefined;
  } finally {
    await file.close();
  }
}

/** Returns how many frames a PNG has; the number stands before the first of them. */
export async function countPngFrames(file: FileHandle): Promise<number> {
  const [control] = await readPngChunks(file, ['acTL']);
  return control && control.length >= 4 ? control.readUInt32BE(0) : 1;
}

/** Returns the begin of the first chunk of each type that comes before the pixels. */
async function readPngChunks(
  file: FileHandle,
  types: readonly string[],
): Promise<(Buffer | undefined)[]> {
  const found = new Map<string, Buffer>();
  const head = Buffer.alloc(8 + MAX_BODY);
  for (let at = 8, count = 0; count < MAX_CHUNKS && found.size < types.length; count++) {
    const { bytesRead } = await file.read(head, 0, head.length, at);
    const type = head.toString('latin1', 4, 8);
    if (bytesRead < 12 || type === 'IDAT') break;
    const size = head.readUInt32BE(0);
    const body = head.subarray(8, Math.min(8 + size, bytesRead));
    if (types.includes(type) && !found.has(type)) found.set(type, Buffer.from(body));
    at += 12 + size;
  }
  return types.map((type) => found.get(type));
}
