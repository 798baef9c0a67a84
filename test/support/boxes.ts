/** Returns a box of ISO/IEC 14496-12. */
export function box(type: string, ...content: readonly (string | Uint8Array)[]): Buffer {
  const parts = content.map((part) => Buffer.from(part as string));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts]);
}

/** Bytes before the boxes in a box, its own header included. */
const HEADERS: Readonly<Record<string, number>> = { stsd: 16, avc1: 86 };

/** Returns a film, whose pictures come first, with another box at the end of the one at a path, as moov and trak. */
export function insertBox(film: Uint8Array, path: readonly string[], added: Uint8Array): Buffer {
  const bytes = Buffer.from(film);
  let [at, end] = [0, bytes.length];
  for (const type of path) {
    while (bytes.toString('latin1', at + 4, at + 8) !== type) {
      at += bytes.readUInt32BE(at);
      if (at >= end) throw new Error(`No box ${type}`);
    }
    const size = bytes.readUInt32BE(at);
    bytes.writeUInt32BE(size + added.length, at);
    end = at + size;
    at += HEADERS[type] ?? 8;
  }
  return Buffer.concat([bytes.subarray(0, end), added, bytes.subarray(end)]);
}
