/** Reads a FlatBuffers table by the numbers of its fields. A table is named by its place in the file. */
export type FlatBuffer = ReturnType<typeof readFlatBuffer>;

export function readFlatBuffer(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

  /** Where the field is; 0 when it has its default. */
  function place(table: number, field: number): number {
    const layout = table - view.getInt32(table, true);
    const entry = 4 + 2 * field;
    if (entry >= view.getUint16(layout, true)) return 0;
    const offset = view.getUint16(layout + entry, true);
    return offset ? table + offset : 0;
  }
  const follow = (at: number) => at + view.getUint32(at, true);

  function vector(table: number, field: number): { readonly at: number; readonly length: number } {
    const at = place(table, field);
    if (!at) return { at: 0, length: 0 };
    const start = follow(at);
    return { at: start + 4, length: view.getUint32(start, true) };
  }
  const list = <T>(table: number, field: number, width: number, read: (at: number) => T): T[] => {
    const { at, length } = vector(table, field);
    return Array.from({ length }, (_, index) => read(at + width * index));
  };

  return {
    root: () => view.getUint32(0, true),
    int8: (table: number, field: number, initial = 0) => {
      const at = place(table, field);
      return at ? view.getInt8(at) : initial;
    },
    int32: (table: number, field: number, initial = 0) => {
      const at = place(table, field);
      return at ? view.getInt32(at, true) : initial;
    },
    uint32: (table: number, field: number, initial = 0) => {
      const at = place(table, field);
      return at ? view.getUint32(at, true) : initial;
    },
    boolean: (table: number, field: number) => {
      const at = place(table, field);
      return at ? view.getUint8(at) !== 0 : false;
    },
    text: (table: number, field: number) => {
      const { at, length } = vector(table, field);
      return new TextDecoder().decode(bytes.subarray(at, at + length));
    },
    /** 0 when there is none. */
    table: (table: number, field: number) => {
      const at = place(table, field);
      return at ? follow(at) : 0;
    },
    tables: (table: number, field: number) => list(table, field, 4, follow),
    int32s: (table: number, field: number) =>
      list(table, field, 4, (at) => view.getInt32(at, true)),
    int64s: (table: number, field: number) =>
      list(table, field, 8, (at) => Number(view.getBigInt64(at, true))),
    floats: (table: number, field: number) =>
      list(table, field, 4, (at) => view.getFloat32(at, true)),
    bytes: (table: number, field: number) => {
      const { at, length } = vector(table, field);
      return bytes.subarray(at, at + length);
    },
  };
}
