import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isPlainPath } from '../../../media/originals.ts';

export type ReadFile = {
  readonly sha256: Uint8Array;
  readonly sha1: Uint8Array;
  /** Bytes. */
  readonly size: number;
};

/** The file cannot be taken in as it is; the next scan that finds it changed tries again. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

const CHUNK_BYTES = 1024 ** 2;
/** Of the file or the account: trying again does not help. */
const FINAL_ERRORS = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EISDIR']);

/**
 * Returns the digests of a file of an external library. It is opened for reading only. Throws
 * FileRefusedError for what is not a plain file, may not be read, or changes meanwhile.
 */
export async function readExternalFile(path: string, signal: AbortSignal): Promise<ReadFile> {
  const file = await openPlain(path);
  try {
    const before = await file.stat();
    if (!before.isFile()) throw new FileRefusedError('Not a regular file');
    const sha256 = new Bun.CryptoHasher('sha256');
    const sha1 = new Bun.CryptoHasher('sha1');
    let size = 0;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(before.size, 4_096)));
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      sha256.update(chunk);
      sha1.update(chunk);
      size += bytesRead;
    }
    const after = await file.stat();
    if (after.size !== size || after.mtimeMs !== before.mtimeMs) {
      throw new FileRefusedError('The file has changed while it was read');
    }
    if (size === 0) throw new FileRefusedError('The file is empty');
    return { sha256: sha256.digest(), sha1: sha1.digest(), size };
  } finally {
    await file.close();
  }
}

async function openPlain(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (await isPlainPath(path)) return file;
    await file.close();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!FINAL_ERRORS.has(code)) throw error;
    throw new FileRefusedError((error as Error).message);
  }
  throw new FileRefusedError('A folder of the path is a symbolic link');
}
