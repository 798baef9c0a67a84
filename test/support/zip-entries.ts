export type ZipEntry = { readonly name: string; readonly isUtf8: boolean };

/** Returns the entries of the directory at the end of an archive, in order. */
export function listEntries(zip: Uint8Array): ZipEntry[] {
  const entries: ZipEntry[] = [];
  const buffer = Buffer.from(zip);
  let at = buffer.readUInt32LE(buffer.length - 6);
  while (buffer.readUInt32LE(at) === 0x02_01_4b_50) {
    const length = buffer.readUInt16LE(at + 28);
    const isUtf8 = (buffer.readUInt16LE(at + 8) & 0x08_00) !== 0;
    entries.push({ name: buffer.toString('utf8', at + 46, at + 46 + length), isUtf8 });
    at += 46 + length + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return entries;
}

export const listEntryNames = (zip: Uint8Array): string[] =>
  listEntries(zip).map(({ name }) => name);
