/**
 * Returns an ELF file (64 bits, little-endian) without its symbol table and section headers, which only debuggers
 * read: what is loaded is what the program headers name. Throws for another kind of file.
 */
export function stripSymbols(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201)
    throw new Error('not ELF64');
  const [headers, entrySize, count] = [
    Number(view.getBigUint64(32, true)),
    view.getUint16(54, true),
    view.getUint16(56, true),
  ];
  let end = headers + entrySize * count;
  for (let index = 0; index < count; index++) {
    const header = headers + entrySize * index;
    // Offset and length of the segment in the file.
    const segment = view.getBigUint64(header + 8, true) + view.getBigUint64(header + 32, true);
    end = Math.max(end, Number(segment));
  }
  const stripped = file.slice(0, end);
  stripped.fill(0, 40, 48);
  stripped.fill(0, 58, 64);
  return stripped;
}
