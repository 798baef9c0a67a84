import { dlopen, FFIType, ptr, read } from 'bun:ffi';
import { closeSync, readSync } from 'node:fs';
import { requireValue } from '../../../core/required.ts';

// inotify(7), which neither Bun nor node:fs shows with its overflows and closed files.

export const IN = {
  modify: 0x2,
  closeWrite: 0x8,
  movedFrom: 0x40,
  movedTo: 0x80,
  create: 0x100,
  delete: 0x200,
  deleteSelf: 0x400,
  moveSelf: 0x800,
  unmount: 0x2000,
  overflow: 0x4000,
  ignored: 0x8000,
  isFolder: 0x4000_0000,
} as const;

const ONLY_FOLDER = 0x100_0000;
const DONT_FOLLOW = 0x200_0000;
const WATCHED =
  IN.modify |
  IN.closeWrite |
  IN.movedFrom |
  IN.movedTo |
  IN.create |
  IN.delete |
  IN.deleteSelf |
  IN.moveSelf |
  ONLY_FOLDER |
  DONT_FOLLOW;

const NONBLOCK = 0o4000;
const CLOSE_ON_EXEC = 0o2_000_000;
const ENOSPC = 28;
const ENOMEM = 12;
const EMFILE = 24;
const ENFILE = 23;

/** The system allows no more watched folders or no more watchers. */
export class WatchLimitError extends Error {
  override readonly name = 'WatchLimitError';
}

export type FolderEvent = {
  /** Number of the watched folder; -1 for an overflow. */
  readonly watch: number;
  /** Bits of IN. */
  readonly mask: number;
  /** The name of the entry of the folder; empty for the folder itself, undefined if it is not UTF-8. */
  readonly name: string | undefined;
};

export type Inotify = {
  /**
   * Watches a folder, and returns its number; undefined for one that is not there or may not be read. Throws
   * WatchLimitError.
   */
  add(path: string): number | undefined;
  remove(watch: number): void;
  /** Returns the events since the last call, and does not wait for any. */
  read(): FolderEvent[];
  close(): void;
};

const BUFFER_BYTES = 64 * 1024;
const HEADER_BYTES = 16;

/** Throws WatchLimitError. */
export function openInotify(): Inotify {
  const libc = openLibc();
  const fd = libc.inotify_init1(NONBLOCK | CLOSE_ON_EXEC);
  if (fd < 0) throw new WatchLimitError('fs.inotify.max_user_instances is exhausted');
  const buffer = Buffer.alloc(BUFFER_BYTES);
  return {
    add(path) {
      const watch = libc.inotify_add_watch(fd, ptr(Buffer.from(`${path}\0`)), WATCHED);
      if (watch >= 0) return watch;
      const code = read.i32(requireValue(libc.__errno_location(), 'errno'), 0);
      if (![ENOSPC, ENOMEM, EMFILE, ENFILE].includes(code)) return undefined;
      throw new WatchLimitError('fs.inotify.max_user_watches is exhausted');
    },
    remove: (watch) => void libc.inotify_rm_watch(fd, watch),
    read() {
      const events: FolderEvent[] = [];
      for (;;) {
        const bytes = readAvailable(fd, buffer);
        if (bytes === 0) return events;
        for (let at = 0; at < bytes;) {
          const length = buffer.readUInt32LE(at + 12);
          const end = at + HEADER_BYTES + length;
          events.push({
            watch: buffer.readInt32LE(at),
            mask: buffer.readUInt32LE(at + 4),
            name: decodeName(buffer.subarray(at + HEADER_BYTES, end)),
          });
          at = end;
        }
      }
    },
    close: () => closeSync(fd),
  };
}

function openLibc() {
  const { i32, u32, ptr } = FFIType;
  return dlopen('libc.so.6', {
    inotify_init1: { args: [i32], returns: i32 },
    inotify_add_watch: { args: [i32, ptr, u32], returns: i32 },
    inotify_rm_watch: { args: [i32, i32], returns: i32 },
    __errno_location: { args: [], returns: ptr },
  }).symbols;
}

/** Returns 0 when there is nothing to read. */
function readAvailable(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A name is filled up with null characters. */
function decodeName(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(0);
  try {
    return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    return undefined;
  }
}
