import { dlopen, ptr, type Pointer, toArrayBuffer } from 'bun:ffi';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';

/** Bytes for native calls, of any length: an array of JavaScript has 4 GiB at most. */
export type Memory = {
  readonly address: Pointer;
  /** Returns a view of `length` bytes from `offset`, which is valid until the memory is unmapped. */
  view(offset: number, length: number): Uint8Array;
};

export type MappedMemory = Memory & {
  /** Tells the system that rows are read here and there: otherwise it reads up to megabytes of disk around each. */
  adviseRandom(): void;
  unmap(): void;
};

/** Returns the memory of an array. */
export const toMemory = (array: Uint8Array | Uint16Array): Memory => ({
  get address() {
    return ptr(array);
  },
  view: (offset, length) => new Uint8Array(array.buffer, array.byteOffset + offset, length),
});

/** Safe: a number of bytes after an address is one. */
export const getAddressAt = ({ address }: Pick<Memory, 'address'>, offset: number): Pointer =>
  (address + offset) as Pointer;

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const MADV_RANDOM = 1;
/** User space ends below this address; errors are above. */
const END_OF_MEMORY = 2 ** 48;

const libc = dlopen('libc.so.6', {
  mmap: { args: ['ptr', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'ptr' },
  madvise: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
  munmap: { args: ['ptr', 'u64'], returns: 'i32' },
  posix_fallocate: { args: ['i32', 'i64', 'i64'], returns: 'i32' },
});

/** Maps the first `length` bytes of a file, shared with all threads and processes; throws without memory. */
export function mapFile(path: string, length: number): MappedMemory {
  const file = openSync(path, 'r+');
  try {
    // Reading beyond the end of a file kills the process.
    if (fstatSync(file).size < length) throw new Error(`${path} is shorter than ${length} bytes`);
    const address = libc.symbols.mmap(null, length, PROT_READ_WRITE, MAP_SHARED, file, 0);
    if (typeof address !== 'number' || address >= END_OF_MEMORY)
      throw new Error(`${path} (${length} bytes) cannot be mapped with mmap(2)`);
    return {
      address,
      view: (offset, bytes) =>
        new Uint8Array(toArrayBuffer(getAddressAt({ address }, offset), 0, bytes)),
      adviseRandom: () => void libc.symbols.madvise(address, length, MADV_RANDOM),
      unmap: () => void libc.symbols.munmap(address, length),
    };
  } finally {
    closeSync(file);
  }
}

/** Returns a number of rows with room for a quarter more, though for no more than `most`. */
export const addSlack = (count: number, most: number): number =>
  count + Math.ceil(Math.min(count / 4, most));

/**
 * Grows a file to this number of bytes; never shortens it, since others may have mapped it. Throws on a full disk: a write
 * into a mapped hole, for which there is no space, kills the process.
 */
export function growFile(path: string, bytes: number): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT);
  try {
    const { size } = fstatSync(file);
    if (size >= bytes) return;
    const errno = libc.symbols.posix_fallocate(file, size, bytes - size);
    if (errno !== 0)
      throw new Error(`${path} cannot grow to ${bytes} bytes: ${getSystemErrorName(-errno)}`);
  } finally {
    closeSync(file);
  }
}

export const mapFloats = (memory: Memory, count: number): Float32Array => {
  const { buffer, byteOffset } = memory.view(0, count * 4);
  return new Float32Array(buffer, byteOffset, count);
};

export const mapIntegers = (memory: Memory, count: number): Uint32Array => {
  const { buffer, byteOffset } = memory.view(0, count * 4);
  return new Uint32Array(buffer, byteOffset, count);
};
