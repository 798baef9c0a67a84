export type PictureFlags = { readonly isProgressive: boolean; readonly isTransparent: boolean };

const NONE: PictureFlags = { isProgressive: false, isTransparent: false };
/** Headers end long before. */
const HEAD_BYTES = 64 * 1024;

/** Returns whether a file is a progressive JPEG or a transparent WebP; neither for a file that is gone. */
export async function readPictureFlags(path: string | undefined): Promise<PictureFlags> {
  if (path === undefined) return NONE;
  try {
    return parsePictureFlags(await Bun.file(path).slice(0, HEAD_BYTES).bytes());
  } catch {
    return NONE;
  }
}

export function parsePictureFlags(bytes: Uint8Array): PictureFlags {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length > 4 && view.readUInt16BE(0) === 0xffd8) {
    return { ...NONE, isProgressive: isProgressiveJpeg(view) };
  }
  if (view.length > 30 && view.toString('latin1', 0, 4) === 'RIFF') {
    return { ...NONE, isTransparent: isTransparentWebp(view) };
  }
  return NONE;
}

/** Looks for the first start-of-frame marker (ITU-T T.81 B.1.1.3); that of a progressive one is C2. */
function isProgressiveJpeg(view: Buffer): boolean {
  for (let at = 2; at + 4 <= view.length && view[at] === 0xff;) {
    const marker = view.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return marker === 0xc2;
    at += 2 + view.readUInt16BE(at + 2);
  }
  return false;
}

/** Reads the alpha flag of the extended and of the lossless format (RFC 9649 §2.7, §3.4). */
function isTransparentWebp(view: Buffer): boolean {
  const chunk = view.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return (view.readUInt8(20) & 0x10) !== 0;
  return chunk === 'VP8L' && (view.readUInt32LE(21) & 0x1000_0000) !== 0;
}
