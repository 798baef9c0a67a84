import { dlopen } from 'bun:ffi';

/**
 * Returns a writer to standard output that is ours alone: what native libraries print goes to standard
 * error from now on.
 */
export function takeStandardOutput(): Bun.FileSink {
  const libc = dlopen('libc.so.6', {
    dup: { args: ['i32'], returns: 'i32' },
    dup2: { args: ['i32', 'i32'], returns: 'i32' },
  });
  try {
    const fd = libc.symbols.dup(1);
    libc.symbols.dup2(2, 1);
    return Bun.file(fd).writer();
  } finally {
    libc.close();
  }
}
