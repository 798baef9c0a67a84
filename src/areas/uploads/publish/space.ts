import { mkdir, statfs } from 'node:fs/promises';
import type { Deps } from '../../../core/context.ts';
import { AppError, badRequest, unavailable } from '../../../core/errors.ts';

/** The phone ends its backup on exactly this text. */
export const quotaExceeded = () => badRequest('Quota has been exceeded!');

const diskFull = () => unavailable('The server has no space left for uploads');

/** Throws when `bytes` more would not leave the reserve free. */
export async function ensureSpace(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  bytes: number,
): Promise<void> {
  const { bavail, bsize } = await statfs(paths.incoming).catch(async () => {
    await mkdir(paths.incoming, { recursive: true });
    return statfs(paths.incoming);
  });
  if (bavail * bsize - bytes < settings.reserveBytes) throw diskFull();
}

const DISK_PROBLEMS = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** From the disk itself, or from ensureSpace. */
export const isDiskFull = (error: unknown): boolean => {
  const mapped = asSpaceError(error);
  return mapped instanceof AppError && mapped.kind === 'unavailable';
};

/** A full or read-only disk is the state of the server, not a fault of ours. */
export function asSpaceError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code && DISK_PROBLEMS.has(code) ? diskFull() : error;
}
