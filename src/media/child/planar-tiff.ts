/** A picture of eight bits per sample, one plane after the other, as TIFF 6.0 has it in PlanarConfiguration 2. */
export type Planes = {
  readonly width: number;
  readonly height: number;
  readonly mode: 'gray' | 'rgb' | 'cmyk';
  readonly count: number;
  /** The plane behind the colours is transparency. */
  readonly hasAlpha: boolean;
  readonly icc: Uint8Array | undefined;
};

const PHOTOMETRIC = { gray: 1, rgb: 2, cmyk: 5 } as const;
const TYPE_BYTES = { 2: 1, 3: 2, 4: 4, 7: 1 } as const;
type Tag = readonly [id: number, type: keyof typeof TYPE_BYTES, values: readonly number[]];

/** Returns the header of a TIFF; the planes follow it. libvips then knows all colours and profiles. */
export function buildTiffHeader(planes: Planes): Buffer {
  const { width, height, mode, count, hasAlpha, icc } = planes;
  const each = width * height;
  const repeat = (value: number) => Array.from({ length: count }, () => value);
  const build = (start: number): Tag[] => [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, repeat(8)],
    [259, 3, [1]],
    [262, 3, [PHOTOMETRIC[mode]]],
    [273, 4, repeat(0).map((_, at) => start + at * each)],
    [277, 3, [count]],
    [278, 4, [height]],
    [279, 4, repeat(each)],
    [284, 3, [2]],
    ...(hasAlpha ? ([[338, 3, [2]]] as const) : []),
    ...(icc ? ([[34_675, 7, [...icc]]] as const) : []),
  ];
  const { length } = writeTags(build(0));
  return writeTags(build(length));
}

function writeTags(tags: readonly Tag[]): Buffer {
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16BE(tags.length, 0);
  const extra: Buffer[] = [];
  let at = 8 + directory.length;
  for (const [index, [id, type, values]] of tags.entries()) {
    const size = TYPE_BYTES[type];
    const bytes = Buffer.alloc(Math.max(4, values.length * size));
    for (const [n, value] of values.entries()) bytes.writeUIntBE(value, n * size, size);
    const entry = 2 + index * 12;
    directory.writeUInt16BE(id, entry);
    directory.writeUInt16BE(type, entry + 2);
    directory.writeUInt32BE(values.length, entry + 4);
    if (bytes.length === 4) bytes.copy(directory, entry + 8);
    else {
      directory.writeUInt32BE(at, entry + 8);
      extra.push(bytes);
      at += bytes.length;
    }
  }
  return Buffer.concat([Buffer.from('MM\0*\0\0\0\x08', 'latin1'), directory, ...extra]);
}
