import { dlopen } from 'bun:ffi';
import { writeFileSync } from 'node:fs';
import { requireValue } from '../src/core/required.ts';
import { type EmbeddedFile, readEmbedded } from './unpack.ts';

/** The part of a native file that this needs: a name for messages and where its bytes are. */
type Source = { readonly name: string; readonly embedded: EmbeddedFile };

const RTLD_NOW = 2;
const RTLD_GLOBAL = 0x100;

/**
 * Loads an addon without any folder, for systems where none may be written and executed. Its
 * libraries are opened first: the loader then finds them by their name and looks for no file. The
 * price is memory that no other process shares.
 */
export function loadFromMemory<T>(files: readonly Source[], openAddon: (path: string) => T): T {
  const libc = dlopen('libc.so.6', {
    memfd_create: { args: ['cstring', 'u32'], returns: 'i32' },
    dlopen: { args: ['cstring', 'i32'], returns: 'ptr' },
  });
  const paths = files.map(({ name, embedded }) => {
    const fd = libc.symbols.memfd_create(cString(name.slice(-200)), 0);
    if (fd < 0) throw new Error('memfd_create failed');
    writeFileSync(fd, readEmbedded(embedded));
    // The descriptor stays open: closed, its number could come to name another library.
    return `/proc/self/fd/${fd}`;
  });
  for (const path of paths.slice(0, -1)) {
    if (!libc.symbols.dlopen(cString(path), RTLD_NOW | RTLD_GLOBAL)) {
      throw new Error(`${path} cannot be loaded`);
    }
  }
  return openAddon(requireValue(paths.at(-1), 'file of an addon'));
}

const cString = (text: string) => Buffer.from(`${text}\0`);
