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

/** Returns a ZIP archive of the entries. */
export function makeZip(
  entries: readonly ZipEntry[],
  { isZip64 = false }: ZipOptions = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let end = 0;
  const add = (...added: Buffer[]) => {
    for (const part of added) {
      parts.push(part);
      end += part.length;
    }
  };
  for (const entry of entries) {
    const { isStored = false, isEncrypted = false, mode = 0, sharesWith } = entry;
    const bytes = toBytes(entry.content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const method = entry.method ?? (isStored ? 0 : 8);
    const size = entry.size ?? bytes.length;
    const crc = entry.crc ?? crc32(bytes);
    const isText = typeof entry.name === 'string';
    const name = Buffer.from(entry.name as string);
    const flags = (isText ? UTF8 : 0) | (isEncrypted ? ENCRYPTED : 0) | (isZip64 ? DESCRIPTOR : 0);
    const offset = sharesWith === undefined ? end : (offsets[sharesWith] ?? 0);
    offsets.push(offset);
    if (sharesWith === undefined) {
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x0403_4b50, 0);
      local.writeUInt16LE(isZip64 ? 45 : 20, 4);
      local.writeUInt16LE(flags, 6);
      local.writeUInt16LE(method, 8);
      local.writeUInt16LE(TIME, 10);
      local.writeUInt16LE(DATE, 12);
      if (!isZip64) {
        local.writeUInt32LE(crc, 14);
        local.writeUInt32LE(packed.length, 18);
        local.writeUInt32LE(size, 22);
      }
      local.writeUInt16LE(name.length, 26);
      add(local, name, packed);
      if (isZip64) {
        const descriptor = Buffer.alloc(24);
        descriptor.writeUInt32LE(0x0807_4b50, 0);
        descriptor.writeUInt32LE(crc, 4);
        descriptor.writeBigUInt64LE(BigInt(packed.length), 8);
        descriptor.writeBigUInt64LE(BigInt(size), 16);
        add(descriptor);
      }
    }
    const extra = isZip64 ? Buffer.alloc(28) : Buffer.alloc(0);
    if (isZip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(offset), 20);
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x0201_4b50, 0);
    central.writeUInt16LE((3 << 8) | 45, 4);
    central.writeUInt16LE(isZip64 ? 45 : 20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt16LE(TIME, 12);
    central.writeUInt16LE(DATE, 14);
    central.writeUInt32LE(crc, 16);
    central.writeUInt32LE(isZip64 ? UNKNOWN : packed.length, 20);
    central.writeUInt32LE(isZip64 ? UNKNOWN : size, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(isZip64 ? UNKNOWN : offset, 42);
    directory.push(central, name, extra);
  }
  const start = end;
  add(...directory);
  const length = end - start;
  if (isZip64) {
    const at = end;
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x0606_4b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeUInt16LE(45, 12);
    record.writeUInt16LE(45, 14);
    record.writeBigUInt64LE(BigInt(entries.length), 24);
    record.writeBigUInt64LE(BigInt(entries.length), 32);
    record.writeBigUInt64LE(BigInt(length), 40);
    record.writeBigUInt64LE(BigInt(start), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x0706_4b50, 0);
    locator.writeBigUInt64LE(BigInt(at), 8);
    locator.writeUInt32LE(1, 16);
    add(record, locator);
  }
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x0605_4b50, 0);
  last.writeUInt16LE(isZip64 ? 0xffff : entries.length, 8);
  last.writeUInt16LE(isZip64 ? 0xffff : entries.length, 10);
  last.writeUInt32LE(isZip64 ? UNKNOWN : length, 12);
  last.writeUInt32LE(isZip64 ? UNKNOWN : start, 16);
  add(last);
  return Buffer.concat(parts);
}
