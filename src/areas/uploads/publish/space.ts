import { statfs } from 'node:fs/promises';
import type { Deps } from '../../../core/context.ts';
import { AppError, badRequest, unavailable } from '../../../core/errors.ts';
import { requireStores } from '../../../storage/stores.ts';

/** Immich's mobile app stops its backup on exactly this text. */
const QUOTA_EXCEEDED = 'Quota has been exceeded!';

export const quotaExceeded = () => badRequest(QUOTA_EXCEEDED);

export const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof AppError && error.message === QUOTA_EXCEEDED;

export const diskFull = () => unavailable('The server has no space left for uploads');

/** Throws 503 when `bytes` more would use the reserved disk space, or the folders are not those of the library. */
export async function requireSpace(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  bytes: number,
): Promise<void> {
  await requireStores({ paths });
  const { bavail, bsize } = await statfs(paths.root);
  if (bavail * bsize - bytes < settings.reserveBytes) throw diskFull();
}

const STORAGE_ERROR_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Returns whether the error is a full disk, from the system or from `requireSpace`. */
export const isStorageUnavailable = (error: unknown): boolean => {
  const mapped = toSpaceError(error);
  return mapped instanceof AppError && mapped.kind === 'unavailable';
};

/** Maps a full or read-only disk to 503; returns other errors unchanged. */
export function toSpaceError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code && STORAGE_ERROR_CODES.has(code) ? diskFull() : error;
}
