import { closeSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

// Not Bun.Archive (1.4), which holds the archive and its files in memory: 600 MB for a model of 300 MB.

/** A file inside an archive. `body` has to be read before the next entry, or not at all. */
export type TarEntry = { readonly path: string; readonly body: AsyncIterable<Uint8Array> };

/**
 * Yields the files of a tar archive, gzipped or not, of which this is the path or the descriptor. Throws on another
 * format and on a truncated archive.
 */
export async function* readTar(archive: string | number): AsyncGenerator<TarEntry> {
  const fd = typeof archive === 'number' ? archive : openSync(archive, 'r');
  try {
    const entries = extract();
    // Their errors end the loop.
    if (isGzip(fd)) pipeline(readChunks(fd), createGunzip(), entries, () => {});
    else pipeline(readChunks(fd), entries, () => {});
    for await (const entry of entries) {
      const { name, type } = entry.header;
      // Safe: the types of the library do not tell of what its streams are.
      if (type === 'file') yield { path: name, body: entry as AsyncIterable<Uint8Array> };
      entry.resume();
    }
  } finally {
    if (typeof archive === 'string') closeSync(fd);
  }
}

const CHUNK_BYTES = 256 * 1024;

/** From its beginning, wherever an earlier reader has left it. A stream of Bun would close the file. */
function* readChunks(fd: number): Generator<Uint8Array> {
  for (let position = 0; ;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (length === 0) return;
    position += length;
    yield chunk.subarray(0, length);
  }
}

function isGzip(fd: number): boolean {
  const head = Buffer.alloc(2);
  readSync(fd, head, 0, 2, 0);
  return head.readUInt16BE() === 0x1f8b;
}
