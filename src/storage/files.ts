import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Disposition, formatContentDisposition } from '../core/content-disposition.ts';
import type { Ctx, Deps } from '../core/context.ts';
import { leadsNowhere } from '../core/disk-errors.ts';
import { findGuardedPath, statFile } from '../core/guarded-path.ts';
import { computeSha256 } from '../core/hash.ts';
import { type DataPaths, derivedName } from '../core/paths.ts';
import { syncPath } from '../media/file-placement.ts';
import { ensureCopy, holdCopy, leaseCopy, openCopy, type CopyDeps, noteCopy } from './copies.ts';
import type { ObjectRange } from './s3-request.ts';
import { findObjectStore, openObjectStore, putObject } from './objects.ts';
import {
  createFileKey,
  isObjectName,
  type ObjectOwner,
  profilePicture,
  type StoredFile,
  type StoredObject,
} from './stored-file.ts';

// The files of a library, of a folder or of the object store. The triggers of 0043_object_storage.sql announce the
// deletion of an object that no row names any more. Each function that asks the object store throws StorageUnavailable.

export type StorageDeps = CopyDeps;

/** Larger objects are sent as they are read, unless there is a copy. */
const LARGE_BYTES = 8 * 1024 ** 2;

/**
 * Has the object store keep a file, and returns its key; undefined where files stay in the data folder. Call it outside of
 * a transaction: it takes as long as the network. The object is deleted in a day unless a row names it.
 */
export async function put(
  deps: Pick<Deps, 'db' | 'sql' | 'settings'>,
  path: string,
  owner: ObjectOwner,
): Promise<string | undefined> {
  if (!findObjectStore(deps.settings)) return undefined;
  const { size } = await stat(path);
  const sha256 = await computeSha256(Bun.file(path));
  const key = createFileKey(owner, { sha256, size });
  await putObject(deps, key, { path, size, sha256 });
  return key;
}

/** The same for a derived file: returns its name, with which `place` is called. */
export const putDerived = async (
  deps: Pick<Deps, 'db' | 'sql' | 'settings'>,
  path: string,
  { id, kind, extension }: Omit<ObjectOwner, 'store'>,
): Promise<string> =>
  (await put(deps, path, { store: 'derived', id, kind, extension })) ??
  derivedName(id, kind, extension);

/** Stores the picture of an account durably. Returns its name, which no other picture has had. */
export async function putPicture(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  from: string,
  accountId: string,
): Promise<string> {
  const owner = { store: 'profiles', id: accountId, kind: 'profile', extension: 'webp' } as const;
  const key = await put(deps, from, owner);
  if (key !== undefined) return key;
  const name = `${accountId}-${randomUUID()}.webp`;
  await syncPath(from);
  await place(deps, from, profilePicture(deps.paths, name));
  await syncPath(deps.paths.profiles);
  return name;
}

/** Makes a folder for a picture that is received, on the disk where it will be, and returns its path. */
export async function makePictureDraft({ profiles }: DataPaths): Promise<string> {
  await mkdir(profiles, { recursive: true });
  return mkdtemp(join(profiles, '.draft-'));
}

/** Gives a complete file its final place in one step; that of an object becomes the copy of this machine. */
export async function place(
  deps: Pick<Deps, 'paths' | 'settings'>,
  from: string,
  { path, object }: StoredFile,
): Promise<void> {
  if (object) noteCopy(deps, object.size);
  try {
    await rename(from, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The cache may be on another disk.
    if (code === 'EXDEV' && object) return rm(from, { force: true });
    if (code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    await rename(from, path);
  }
}

/** The source of what is sent: a file, or a function that reads a part of an object. */
export type FileSource =
  { readonly path: string } | { readonly read: (range: ObjectRange) => AsyncGenerator<Uint8Array> };

/** Returns a file as it is sent; undefined when its object is missing. Whether a file of a folder exists is not asked. */
export async function open(
  deps: StorageDeps,
  { path, object }: StoredFile,
): Promise<FileSource | undefined> {
  if (!object) return { path };
  const isWhole = isObjectName(object.key) && object.size <= LARGE_BYTES;
  if (isWhole || (isObjectName(object.key) && (await hasCopy(deps, object)))) {
    const copy = await ensureCopy(deps, object);
    return copy === undefined ? undefined : { path: copy };
  }
  if (!(await isReadable(deps, object))) return undefined;
  return { read: (range) => readObject(deps, object, range) };
}

/**
 * Returns the path of a file, after its object was fetched: it stays for half an hour after it was asked for last, that of
 * an original for 12 hours. Undefined when the object is gone. Whether a file of a folder exists is not asked.
 */
export async function hold(
  deps: StorageDeps,
  { path, object }: StoredFile,
): Promise<string | undefined> {
  if (!object) return path;
  return isObjectName(object.key) ? ensureCopy(deps, object) : holdCopy(deps, object);
}

/** The same for whoever opens it, and is told then that nothing is there. */
export const locate = async (deps: StorageDeps, file: StoredFile): Promise<string> =>
  (await hold(deps, file)) ?? file.path;

/** The same for a file that must be there: that it is not, as on a mount that is offline, says nothing about the picture. */
export async function requireFile(deps: StorageDeps, file: StoredFile): Promise<string> {
  const path = await locate(deps, file);
  if (!(await Bun.file(path).exists())) throw new Error(`${path} is not on the disk`);
  return path;
}

/** In an external library the path is guarded (core/guarded-path.ts). */
export type LocalFile = { readonly path: string; readonly size: number };

/** A file for as long as it is not disposed: a copy of an object may go afterwards. */
export type LeasedFile = LocalFile & AsyncDisposable;

/** Returns the file with its bytes; undefined while they cannot be reached. */
export async function lease(
  deps: StorageDeps,
  { path, object }: StoredFile,
): Promise<LeasedFile | undefined> {
  if (object) return leaseCopy(deps, object);
  const found = await statLocal(path);
  return found && { ...found, async [Symbol.asyncDispose]() {} };
}

/** Undefined when the bytes are not there: a broken disk, or a mount that is missing. */
export async function statLocal(path: string): Promise<LocalFile | undefined> {
  try {
    return { path, size: (await statFile(path)).size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (findGuardedPath(path) && leadsNowhere(error))) return undefined;
    throw error;
  }
}

/** Returns whether a file, or its object or a copy of that, is there, now; with `size`: in its length. */
export async function has(
  deps: StorageDeps,
  { path, object }: StoredFile,
  size?: number,
): Promise<boolean> {
  if (object) return isReadable(deps, object);
  const found = await statFile(path).catch(() => undefined);
  return found?.isFile() === true && (size ?? found.size) === found.size;
}

/** Deletes files, and copies of objects: those themselves are deleted once no row names them. */
export async function remove(files: readonly StoredFile[]): Promise<void> {
  await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}

/** Smaller ones are sent as fast. */
const LINKED_BYTES = 1024 ** 2;
const LINK_SECONDS = 60;
/** Types that a browser shows from another origin without running them. */
const SHOWN_TYPES = /^(?:image\/(?!svg)|video\/|audio\/)/;

type LinkFacts = {
  /** Bytes. */
  readonly size: number;
  readonly type: string;
  readonly isLocked: boolean;
  readonly disposition: Disposition;
};

/**
 * Returns an address by which the client reads a large file for a minute, where administrators have chosen so; undefined:
 * the server sends it. Guests of links and Locked get none: whoever has the address needs nothing else.
 */
export async function link(
  ctx: Ctx,
  { object }: StoredFile,
  { size, type, isLocked, disposition }: LinkFacts,
): Promise<string | undefined> {
  const { session, settings } = ctx;
  if (!object || settings.objectStoreRedirect === 'never' || session.kind !== 'user') {
    return undefined;
  }
  if (isLocked || size <= LINKED_BYTES || !SHOWN_TYPES.test(type)) return undefined;
  const objects = await openObjectStore(ctx);
  return objects.presign(object.key, {
    seconds: LINK_SECONDS,
    type,
    disposition: formatContentDisposition(disposition),
    cacheControl: 'private, no-store',
  });
}

async function hasCopy({ paths }: StorageDeps, object: StoredObject): Promise<boolean> {
  const copy = await openCopy(paths, object);
  await copy?.close();
  return copy !== undefined;
}

/** Whether the bytes of an object can be read, now: a response cannot tell any more once it has begun. */
async function isReadable(deps: StorageDeps, object: StoredObject): Promise<boolean> {
  if (await hasCopy(deps, object)) return true;
  const objects = await openObjectStore(deps);
  return (await objects.findSize(object.key)) === object.size;
}

/** Yields a part of an object. Throws StorageUnavailable, and ObjectMissing. */
async function* readObject(
  deps: StorageDeps,
  object: StoredObject,
  range: ObjectRange,
): AsyncGenerator<Uint8Array> {
  const copy = await openCopy(deps.paths, object);
  if (copy) return yield* readCopy(copy, range);
  const objects = await openObjectStore(deps);
  return yield* objects.read(object.key, range);
}

const CHUNK_BYTES = 256 * 1024;

async function* readCopy(copy: FileHandle, { start, end }: ObjectRange) {
  try {
    for (let position = start; position < end;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await copy.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) throw new Error('The copy became shorter while it was read');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await copy.close();
  }
}
