import { type FileHandle, open } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { NamedColor } from './icc.ts';

const MAX_CHUNKS = 1000;
const MAX_BODY = 64;
/** The name of a profile that the W3C has given to PQ before PNG had numbers for it. */
const PQ_PROFILE = 'ITUR_2100_PQ_FULL\0';

/** As of sRGB, whose curve is no power. */
const USUAL_GAMMA = 2.2;

export type PngDescription = {
  /** The colours that it names and that no profile describes. */
  readonly color: NamedColor | undefined;
  /** Whether there are metadata that programs hide in texts, which decoders do not look for. */
  readonly hasHiddenMetadata: boolean;
};

export async function describePng(path: string): Promise<PngDescription> {
  const file = await open(path, 'r');
  try {
    const types = ['IHDR', 'cICP', 'iCCP', 'sRGB', 'gAMA', HIDDEN];
    const [header, numbers, profile, standard, gamma, hidden] = await readPngChunks(file, types);
    const power = profile || standard ? undefined : 1e5 / (gamma?.readUInt32BE(0) || Infinity);
    const color = toColor(numbers, profile, power);
    const isGrey = [0, 4].includes(header?.[9] ?? 2);
    return { color: color && { ...color, isGrey }, hasHiddenMetadata: hidden !== undefined };
  } finally {
    await file.close();
  }
}

function toColor(
  numbers: Buffer | undefined,
  profile: Buffer | undefined,
  power = USUAL_GAMMA,
): NamedColor | undefined {
  if (numbers && numbers.length >= 4)
    return { primaries: numbers.readUInt8(0), transfer: numbers.readUInt8(1) };
  if (profile?.toString('latin1', 0, PQ_PROFILE.length) === PQ_PROFILE)
    return { primaries: 9, transfer: 16 };
  const isUsual = Math.abs(power - USUAL_GAMMA) < 0.1 || power < 0.2 || power > 10;
  return isUsual ? undefined : { primaries: 1, transfer: 2, gamma: power };
}

/** Returns the chunk of a profile, which comes behind the first one. */
export function buildIccChunk(icc: Uint8Array): Buffer {
  // A name, its end, and the method of compression.
  const body = Buffer.concat([Buffer.from('iCCPnamed\0\0'), deflateSync(icc)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** Returns how many frames a PNG has; the number stands before the first of them. */
export async function countPngFrames(file: FileHandle): Promise<number> {
  const [control] = await readPngChunks(file, ['acTL']);
  return control && control.length >= 4 ? control.readUInt32BE(0) : 1;
}

/** The type that readPngChunks gives to texts in which ImageMagick and Adobe write EXIF and XMP. */
const HIDDEN = 'hidden';
const HIDDEN_NAMES = /^(Raw profile type (exif|APP1|xmp)|XML:com\.adobe\.xmp)\0/;

/** Returns the begin of the first chunk of each type that comes before the pixels. */
async function readPngChunks(
  file: FileHandle,
  types: readonly string[],
): Promise<(Buffer | undefined)[]> {
  const found = new Map<string, Buffer>();
  const head = Buffer.alloc(8 + MAX_BODY);
  for (let at = 8, count = 0; count < MAX_CHUNKS && found.size < types.length; count++) {
    const { bytesRead } = await file.read(head, 0, head.length, at);
    const name = head.toString('latin1', 4, 8);
    if (bytesRead < 12 || name === 'IDAT') break;
    const size = head.readUInt32BE(0);
    const body = head.subarray(8, Math.min(8 + size, bytesRead));
    const isText = name.endsWith('TXt') || name === 'tEXt';
    const type = isText && HIDDEN_NAMES.test(body.toString('latin1')) ? HIDDEN : name;
    if (types.includes(type) && !found.has(type)) found.set(type, Buffer.from(body));
    at += 12 + size;
  }
  return types.map((type) => found.get(type));
}
