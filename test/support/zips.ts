import { crc32, deflateRawSync } from 'node:zlib';

// ZIP archives as others write them, and as nobody should.

export type ZipEntry = {
  /** Bytes are written as they are, without the flag of UTF-8. */
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array | object;
  readonly isStored?: boolean;
  readonly isEncrypted?: boolean;
  /** Of UNIX, with the type of the file. */
  readonly mode?: number;
  /** Others than the real ones. */
  readonly crc?: number;
  readonly size?: number;
  readonly method?: number;
  /** The entry points to the bytes of the one at this place. */
  readonly sharesWith?: number;
};

export type ZipOptions = {
  /** Sizes in extra fields and a directory of ZIP64, and behind the bytes of each entry: as Takeout writes them. */
  readonly isZip64?: boolean;
};

const toBytes = (content: ZipEntry['content'] = ''): Buffer =>
  content instanceof Uint8Array
    ? Buffer.from(content)
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));

const UTF8 = 0x800;
const ENCRYPTED = 1;
const DESCRIPTOR = 8;
/** 2021-05-01 12:00:00, as DOS writes it. */
const [TIME, DATE] = [12 << 11, ((2021 - 1980) << 9) | (5 << 5) | 1];
const UNKNOWN = 0xffff_ffff;

/** Numbers in the order of a record: 2, 4 or 8 bytes each. */
function pack(...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer {
  const record = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return record;
}

type Packed = ReturnType<typeof packEntry>;

function packEntry(entry: ZipEntry, isZip64: boolean) {
  const { isStored = false, isEncrypted = false, mode = 0 } = entry;
  const bytes = toBytes(entry.content);
  const isText = typeof entry.name === 'string';
  return {
    name: Buffer.from(entry.name as string),
    packed: isStored ? bytes : deflateRawSync(bytes),
    method: entry.method ?? (isStored ? 0 : 8),
    size: entry.size ?? bytes.length,
    crc: entry.crc ?? crc32(bytes),
    flags: (isText ? UTF8 : 0) | (isEncrypted ? ENCRYPTED : 0) | (isZip64 ? DESCRIPTOR : 0),
    attributes: (mode << 16) >>> 0,
    version: isZip64 ? 45 : 20,
  };
}

/** A local header with the bytes, and behind them, in ZIP64, what the header does not say. */
function writeLocal({ name, packed, method, size, crc, flags, version }: Packed): Buffer {
  const isZip64 = version === 45;
  const known = isZip64 ? [0, 0, 0] : [crc, packed.length, size];
  const head = pack([4, 0x0403_4b50], [2, version], [2, flags], [2, method], [2, TIME], [2, DATE]);
  const sizes = pack(...known.map((value) => [4, value] as const), [2, name.length], [2, 0]);
  const behind = pack([4, 0x0807_4b50], [4, crc], [8, packed.length], [8, size]);
  return Buffer.concat([head, sizes, name, packed, ...(isZip64 ? [behind] : [])]);
}

function writeCentral(entry: Packed, offset: number): Buffer {
  const { name, packed, method, size, crc, flags, attributes, version } = entry;
  const isZip64 = version === 45;
  const real = [packed.length, size, offset];
  const [first, second, third] = isZip64 ? [UNKNOWN, UNKNOWN, UNKNOWN] : real;
  const extra = isZip64
    ? pack([2, 1], [2, 24], [8, size], [8, packed.length], [8, offset])
    : Buffer.alloc(0);
  return Buffer.concat([
    pack([4, 0x0201_4b50], [2, (3 << 8) | 45], [2, version], [2, flags], [2, method]),
    pack([2, TIME], [2, DATE], [4, crc], [4, first ?? 0], [4, second ?? 0]),
    pack([2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    pack([4, attributes], [4, third ?? 0]),
    name,
    extra,
  ]);
}

function writeEnd(count: number, start: number, length: number, isZip64: boolean): Buffer {
  const [few, size, offset] = isZip64 ? [0xffff, UNKNOWN, UNKNOWN] : [count, length, start];
  const end = pack([4, 0x0605_4b50], [4, 0], [2, few], [2, few], [4, size], [4, offset], [2, 0]);
  if (!isZip64) return end;
  return Buffer.concat([
    pack([4, 0x0606_4b50], [8, 44], [2, 45], [2, 45], [8, 0]),
    pack([8, count], [8, count], [8, length], [8, start]),
    pack([4, 0x0706_4b50], [4, 0], [8, start + length], [4, 1]),
    end,
  ]);
}

/** Returns a ZIP archive of the entries. */
export function makeZip(
  entries: readonly ZipEntry[],
  { isZip64 = false }: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let end = 0;
  for (const entry of entries) {
    const packed = packEntry(entry, isZip64);
    const { sharesWith } = entry;
    const offset = sharesWith === undefined ? end : (offsets[sharesWith] ?? 0);
    offsets.push(offset);
    directory.push(writeCentral(packed, offset));
    if (sharesWith !== undefined) continue;
    const local = writeLocal(packed);
    locals.push(local);
    end += local.length;
  }
  const list = Buffer.concat(directory);
  return Buffer.concat([...locals, list, writeEnd(entries.length, end, list.length, isZip64)]);
}
