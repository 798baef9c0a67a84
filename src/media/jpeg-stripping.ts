const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, END_OF_IMAGE]);

/** Application segments that change how a picture looks, by marker and by the name that they begin with. */
const KEPT_NAMES: ReadonlyMap<number, string> = new Map([
  [APP0, 'JFIF\0'],
  [APP2, 'ICC_PROFILE\0'],
  [APP14, 'Adobe'],
]);

/** Frames, tables, restarts and scans: what a decoder needs. */
const isPictureMarker = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdd);

const isKept = (marker: number, body: Buffer): boolean => {
  const name = KEPT_NAMES.get(marker);
  return name === undefined
    ? isPictureMarker(marker)
    : body.toString('latin1', 0, name.length) === name;
};

/**
 * Returns the parts of a JPEG file without its metadata: the same pixels, colour profile and orientation, no
 * EXIF, XMP, IPTC, comments or further pictures, and nothing that follows the picture. Returns undefined for
 * what is no complete JPEG. `orientation`: EXIF 1 to 8.
 */
export function stripJpegMetadata(bytes: Buffer, orientation = 1): Buffer[] | undefined {
  if (!bytes.subarray(0, 2).equals(START)) return undefined;
  const kept: Buffer[] = [];
  let hasScan = false;
  for (let at = 2; at + 2 <= bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) {
      return hasScan ? [START, createOrientation(orientation), ...kept, END] : undefined;
    }
    if (at + 4 > bytes.length) return undefined;
    const bodyEnd = at + 2 + bytes.readUInt16BE(at + 2);
    if (bodyEnd < at + 4 || bodyEnd > bytes.length) return undefined;
    hasScan ||= marker === START_OF_SCAN;
    const end = marker === START_OF_SCAN ? findScanEnd(bytes, bodyEnd) : bodyEnd;
    if (end === undefined) return undefined;
    if (isKept(marker, bytes.subarray(at + 4, bodyEnd))) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return undefined;
}

/** Returns where the next marker is: in picture data a byte of 255 is followed by 0 or by a restart. */
function findScanEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return undefined;
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  return undefined;
}

/** An EXIF segment with the orientation only. */
function createOrientation(orientation: number): Buffer {
  const segment = Buffer.alloc(36);
  segment.writeUInt16BE(0xff00 | APP1, 0);
  segment.writeUInt16BE(34, 2);
  segment.write('Exif\0\0II*\0', 4, 'latin1');
  segment.writeUInt32LE(8, 14);
  // The entry: tag 0x0112, type 3 (short), one value.
  segment.writeUInt16LE(1, 18);
  segment.writeUInt16LE(0x0112, 20);
  segment.writeUInt16LE(3, 22);
  segment.writeUInt32LE(1, 24);
  segment.writeUInt16LE(orientation, 28);
  return segment;
}
