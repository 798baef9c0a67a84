import { dirname } from 'node:path';
import { describeDenied } from './access-remedy.ts';

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EIO: 'the disk reports an error',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'it is no folder',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links lead in a circle',
};

/** Where the kernel keeps files of its own, as below /proc, folders cannot be made. */
const isKernelFolder = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'mkdir' && (code === 'ENOENT' || code === 'EPERM');

/** Returns a sentence for the owner when the disk, not the program, is why a file cannot be used. */
export function explainDiskError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (!path) return undefined;
  const denied = explainDenied(error);
  if (denied) return denied;
  const reason = isKernelFolder(error) ? 'no folder can be made there' : REASONS[code];
  return reason && `Safelight cannot use ${path}: ${reason}.`;
}

const READING = new Set(['access', 'lstat', 'opendir', 'readlink', 'realpath', 'scandir', 'stat']);
/** They change the folder of their path. */
const CHANGING = new Set(['mkdir', 'rename', 'rmdir', 'symlink', 'unlink']);

/** Returns a sentence with the user, the folder and the command that changes its rights; undefined if they are not why. */
export function explainDenied(error: Error): string | undefined {
  const { code, syscall = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (!path || (code !== 'EACCES' && code !== 'EPERM')) return undefined;
  if (READING.has(syscall)) return describeDenied(path, 'read');
  if (dest !== undefined && syscall !== 'rename') {
    return describeDenied(path, 'read') ?? describeDenied(dirname(dest), 'write');
  }
  return CHANGING.has(syscall) ? describeDenied(dirname(path), 'write') : describeDenied(path);
}

const NOWHERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL']);
const DENIED = new Set(['EACCES', 'EPERM']);

const getCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Whether the path leads nowhere, or, if it is guarded, over links: it is certain that the file is not there. */
export const leadsNowhere = (error: unknown): boolean => NOWHERE.has(getCode(error));

/** Whether the file is not there, or not for this user. Any other error is one of the disk. */
export const isUnreadable = (error: unknown): boolean =>
  leadsNowhere(error) || DENIED.has(getCode(error));

/** The system has run out of something, or a disk fails, is read-only or is away. */
const SYSTEM_FAULTS = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'EIO',
  'ENOMEM',
  'EAGAIN',
  'EROFS',
  'ESTALE',
  'ENODEV',
  'ENXIO',
  'ENOTCONN',
  'EHOSTDOWN',
]);

/** Returns whether a call of the system failed for a reason that has nothing to do with the file. */
export const isSystemFault = (error: Error): boolean =>
  SYSTEM_FAULTS.has(String((error as { code?: unknown }).code));

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The file of a tool did not fit on the disk. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFull';
  readonly code = 'ENOSPC';
}

/** Whether the disk or the quota is full, for a file of ours or of the database (SQLSTATE 53100). */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return code === '53100' || FULL.has(String(code)) || isOutOfSpace(error.cause);
}
