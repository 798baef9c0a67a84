import type { Deps } from '../core/context.ts';
import { AppError, badRequest, StorageUnavailable, unavailable } from '../core/errors.ts';
import { isServerFault } from '../db/errors.ts';
import { getUploadSpace, requireStores } from '../storage/index.ts';

/** Immich's mobile app stops its backup on exactly this text. */
const QUOTA_EXCEEDED = 'Quota has been exceeded!';

export const quotaExceeded = () => badRequest(QUOTA_EXCEEDED);

export const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof AppError && error.message === QUOTA_EXCEEDED;

const DISK_FULL = 'The server has no space left for uploads';

/** 503, by which Immich's clients try again later; the resumable protocol says 507. */
export const diskFull = () => unavailable(DISK_FULL);

/** Throws 503 when `bytes` more would use the reserved disk space, or the folders are not those of the library. */
export async function requireSpace(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  bytes: number,
): Promise<void> {
  await requireStores({ paths });
  if (getUploadSpace(paths) - bytes < settings.reserveBytes) throw diskFull();
}

/** Returns whether the error is a full disk, from the system or from `requireSpace`. */
export const isDiskFull = (error: unknown): boolean => {
  const mapped = toSpaceError(error);
  return mapped instanceof AppError && mapped.message === DISK_FULL;
};

/** Returns whether the disk is full, or what keeps files or rows is away: the next file would meet the same. */
export const isStorageFault = (error: unknown): boolean => {
  const mapped = toSpaceError(error);
  return (mapped instanceof AppError && mapped.kind === 'unavailable') || isServerFault(error);
};

/** Maps a full disk, and a read-only one, to 503; returns other errors unchanged. */
export function toSpaceError(error: unknown): unknown {
  const { code, message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull();
  return code === 'EROFS' ? new StorageUnavailable(message, { cause: error }) : error;
}

export const uploadNotFound = () =>
  new AppError('notFound', 'Upload not found', {
    headers: { 'cache-control': 'no-store' },
    detail: { code: 'not_found' },
  });

/** Errors after which the upload cannot be continued. */
const fatalErrors = new WeakSet<Error>();
/** Makes an error one after which the upload has failed. */
export const markFatal = (error: Error): Error => {
  fatalErrors.add(error);
  return error;
};
export const isFatal = (error: unknown): error is Error =>
  error instanceof Error && fatalErrors.has(error);
