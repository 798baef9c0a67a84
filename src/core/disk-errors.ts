const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EIO: 'the disk reports an error',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'it is no folder',
};

/** A sentence for the owner where the disk, and not the program, is why a file cannot be used. */
export function explainDiskError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code ?? ''];
  return reason && path ? `Safelight cannot use ${path}: ${reason}.` : undefined;
}
