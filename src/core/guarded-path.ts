import { constants, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';

// Others can change the folders of external libraries at any time, also between a check of a path and its
// use. A guarded path names a file there. It is opened by `openFile`, or by the launcher of child processes
// (native/launch.c), and only if no part of it is a link; anything else that takes it for a path finds no file.

const MARK = 'guarded:';

/** Returns the guarded path of an absolute path without `.` and `..`. */
export const guardPath = (path: string): string => MARK + path;

/** Returns the path that is guarded; undefined for any other path. */
export const findGuardedPath = (path: string): string | undefined =>
  path.startsWith(`${MARK}/`) ? path.slice(MARK.length) : undefined;

/** Without O_NONBLOCK a named pipe would wait for its writer. */
const GUARDED = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a file of ours, or one with a guarded path: then throws an error with the code ELOOP if a part of the
 * path is a link, EINVAL for what is no regular file, and those of open(2).
 */
export async function openFile(
  path: string,
  flags: number = constants.O_RDONLY,
): Promise<FileHandle> {
  const guarded = findGuardedPath(path);
  if (guarded === undefined) return open(path, flags);
  const file = await open(guarded, flags | GUARDED).catch(refuseSocket);
  try {
    requireUnlinked(file, guarded);
    if (!(await file.stat()).isFile()) throw createNoFileError();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns what is known of a file: by `statOwn`, or, if the path is guarded, of what openFile opens. */
export async function statFile(
  path: string,
  statOwn: (path: string) => Promise<Stats> = stat,
): Promise<Stats> {
  if (findGuardedPath(path) === undefined) return statOwn(path);
  const file = await openFile(path);
  try {
    return await file.stat();
  } finally {
    await file.close();
  }
}

function refuseSocket(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENXIO' ? createNoFileError() : error;
}

const createNoFileError = () => createFileError('EINVAL', 'It is no regular file');

/** The kernel tells where the opened file lies, whatever the path leads to by now. */
function requireUnlinked({ fd }: FileHandle, path: string): void {
  const place = readlinkSync(getDescriptorPath(fd));
  if (place === path) return;
  if (place === `${path} (deleted)`) throw createFileError('ENOENT', 'The file is gone');
  throw createFileError('ELOOP', 'A part of the path is a symbolic link');
}

/** Returns a path of what a descriptor of the process that uses the path refers to. */
export const getDescriptorPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

const createFileError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

/**
 * Calls `use` with a path of the same name in the folder, which stays the same folder if the path leads
 * elsewhere meanwhile. Throws as openFile.
 */
export async function withFolder<T>(
  folder: string,
  use: (pinned: string) => Promise<T>,
): Promise<T> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const file = await open(folder, flags);
  try {
    requireUnlinked(file, folder);
    return await use(getDescriptorPath(file.fd));
  } finally {
    await file.close();
  }
}

/** False where the file or a folder of its path was replaced by a link: it could lead anywhere. */
export const isPlainPath = (path: string): Promise<boolean> =>
  realpath(path).then(
    (target) => target === path,
    () => false,
  );
