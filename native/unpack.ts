import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file in the binary, compressed with zstd. */
export type EmbeddedFile = {
  readonly path: string;
  /** In bytes, uncompressed. */
  readonly size: number;
};

export const readEmbedded = ({ path }: EmbeddedFile): Uint8Array =>
  Bun.zstdDecompressSync(readFileSync(path));

/**
 * Writes the file to `path` unless it is there. Any number of processes and threads may do this at once: each writes
 * a file of its own and renames it when it is on the disk, so that no part of it is ever found under its name.
 */
export function unpackFile(embedded: EmbeddedFile, path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === embedded.size) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(file, readEmbedded(embedded));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
