import { explainDenied } from '../../../core/disk-errors.ts';
import { AppError } from '../../../core/errors.ts';
import { guardPath } from '../../../core/guarded-path.ts';
import { readUnchanged } from '../../uploads/index.ts';

export type ReadFile = {
  readonly sha256: Uint8Array;
  readonly sha1: Uint8Array;
  /** Bytes. */
  readonly size: number;
};

/** The file cannot be taken in as it is; the next scan tries again. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** Errors of the file or the account: trying again soon does not help. */
const FINAL_ERRORS = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EINVAL']);

/**
 * Returns the digests of a file of an external library. It is opened for reading only. Throws
 * FileRefusedError for what is not a plain file, may not be read, or changes meanwhile.
 */
export async function readExternalFile(path: string, signal: AbortSignal): Promise<ReadFile> {
  const sha256 = new Bun.CryptoHasher('sha256');
  const sha1 = new Bun.CryptoHasher('sha1');
  const digest = (chunk: Uint8Array) => {
    signal.throwIfAborted();
    sha256.update(chunk);
    sha1.update(chunk);
  };
  try {
    const { size } = await readUnchanged(guardPath(path), digest);
    return { sha256: sha256.digest(), sha1: sha1.digest(), size };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (error instanceof AppError || FINAL_ERRORS.has(code)) {
      throw new FileRefusedError(explainDenied(error as Error) ?? message);
    }
    throw error;
  }
}
