import { explainDenied } from '../../core/disk-errors.ts';
import { AppError } from '../../core/errors.ts';
import { getSqlState } from '../../db/errors.ts';
import { MediaError } from '../../media/errors.ts';
import { isQuotaExceeded, isStorageFault } from '../uploads/index.ts';

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'The user as whom Safelight runs may not read it',
  EPERM: 'The user as whom Safelight runs may not read it',
  ENOENT: 'It is gone, or its name is not in UTF-8',
  ENOTDIR: 'It is gone',
  ELOOP: 'It is a symbolic link',
  EINVAL: 'It is no regular file',
  EIO: 'The disk cannot read it',
  ESTALE: 'The network storage cannot read it',
};

/**
 * Returns the reason why one file cannot be taken in; undefined for an error of the database, of a tool, of the data
 * folder or for lack of room, with which the next file would fail too.
 */
export function getRefusal(error: unknown, dataFolder: string): string | undefined {
  if (isQuotaExceeded(error) || isStorageFault(error)) return undefined;
  if (error instanceof AppError || error instanceof MediaError) return error.message;
  if (isOddValue(error)) return `A value of it cannot be stored: ${findCause(error).message}`;
  const { code = '', path = '' } = error as NodeJS.ErrnoException;
  if (path.startsWith(dataFolder)) return undefined;
  return explainDenied(error as Error) ?? FILE_ERRORS[code];
}

/** SQLSTATE of data that PostgreSQL does not take: a NUL, or a date beyond its calendar. */
const DATA_EXCEPTION = /^22/;

const isOddValue = (error: unknown): error is Error =>
  error instanceof RangeError || DATA_EXCEPTION.test(getSqlState(error) ?? '');

/** The first cause does not quote the statement. */
const findCause = (error: Error): Error =>
  error.cause instanceof Error ? findCause(error.cause) : error;
