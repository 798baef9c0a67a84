import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { guardPath } from '../core/guarded-path.ts';
import { toHex } from '../core/hash.ts';
import type { DataPaths } from '../core/paths.ts';

/** An object of the object store, as the copies on this machine know it. */
export type StoredObject = {
  readonly key: string;
  /** SHA-256 in hex, of other objects than originals the beginning of it. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
};

/**
 * A file of the library. Its row tells whether it is one of a folder or of the object store: only this folder looks at
 * `object`.
 */
export type StoredFile = {
  /** Where it, or the copy of its object, lies on this machine, if it does. In an external library the path is guarded. */
  readonly path: string;
  /** Undefined: it is in a folder. */
  readonly object: StoredObject | undefined;
};

/** Where an original lies that is a file of the data folder. */
export const originalPath = (paths: DataPaths, sha256: Uint8Array | string): string => {
  const hex = typeof sha256 === 'string' ? sha256 : toHex(sha256);
  return `${paths.originals}/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex}`;
};

/** Originals have copies by their digests: a copy of former bytes is one of an object that was stored anew. */
export const getOriginalCopyPath = ({ cache }: DataPaths, sha256: string): string =>
  join(cache, 'originals', sha256.slice(0, 2), sha256);

/** The row of an original. */
type OriginalPlace = {
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Path in an external library that alone has the content; null: it is in our store. */
  readonly path: string | null;
  /** Key of its object; null: it is a file. */
  readonly objectKey: string | null;
};

export function originalFile(
  paths: DataPaths,
  { sha256, size, path, objectKey }: OriginalPlace,
): StoredFile {
  if (objectKey !== null) {
    const object = { key: objectKey, sha256, size };
    return { path: getOriginalCopyPath(paths, sha256), object };
  }
  return { path: path === null ? originalPath(paths, sha256) : guardPath(path), object: undefined };
}

const namedFile = (folder: string, { cache }: DataPaths, name: string): StoredFile => {
  const object = toObject(name);
  return { path: join(isObjectName(name) ? cache : folder, name), object };
};

/** A file that was made from an original, or its sidecar. */
export const derivedFile = (paths: DataPaths, name: string): StoredFile =>
  namedFile(paths.derived, paths, name);

export const derivedFiles = (paths: DataPaths, names: readonly string[]): StoredFile[] =>
  names.map((name) => derivedFile(paths, name));

/** The picture of an account. */
export const profilePicture = (paths: DataPaths, name: string): StoredFile =>
  namedFile(paths.profiles, paths, name);

/** The file of an export, which is at `path` when it has no object. */
export const exportFile = (
  paths: DataPaths,
  { path, objectKey }: { readonly path: string; readonly objectKey: string | null },
): StoredFile =>
  objectKey === null ? { path, object: undefined } : namedFile(paths.exports, paths, objectKey);

/** Returns the object that a name is the key of. */
export function toObject(name: string): StoredObject | undefined {
  const key = isObjectName(name) ? parseFileKey(name) : undefined;
  return key && { key: name, sha256: key.digest, size: key.size };
}

/** Returns the folder for intermediate files, on the file system of derived files: a rename puts one in its place. */
export const getScratchFolder = (paths: DataPaths): string => join(paths.derived, 'scratch');

/** Name of the file, or key of the object, that tells which library a folder or an object store belongs to. */
export const MARKER = '.safelight';

// Keys of the object store. The random part makes each new: nothing that is still on its way, as a deletion, can meet
// other bytes. Keys of originals have their SHA-256; those of other files the beginning of it and the length, so that a
// copy can be compared without a question to the database.

/** The kind of an object, and its owner. */
export type ObjectOwner = {
  readonly store: 'derived' | 'profiles' | 'exports';
  /** Asset, person, account or operation. */
  readonly id: string;
  /** The kind of file, as 'thumbnail'. */
  readonly kind: string;
  /** Extension of the file name, without a dot. */
  readonly extension: string;
};

/** Returns a new key for the original with this SHA-256 (hex). */
export const createOriginalKey = (sha256: string): string =>
  `originals/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}-${randomBytes(6).toString('hex')}`;

/** Returns the SHA-256 in hex of the original that a key was made for; undefined for other objects. */
export const parseKey = (key: string): string | undefined =>
  /^originals\/[\da-f]{2}\/[\da-f]{2}\/([\da-f]{64})-[\da-f]{12}$/.exec(key)?.[1];

const DIGEST_LENGTH = 32;

/** Returns a new key for a file that is no original. */
export const createFileKey = (
  { store, id, kind, extension }: ObjectOwner,
  { sha256, size }: { readonly sha256: string; readonly size: number },
): string => {
  const tag = `${sha256.slice(0, DIGEST_LENGTH)}${randomBytes(4).toString('hex')}`;
  return `${store}/${id.slice(0, 2)}/${id}-${kind}-${tag}-${size}.${extension}`;
};

const FILE_KEY =
  /^(derived|profiles|exports)\/[\da-f]{2}\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-([\w-]+)-([\da-f]{32})[\da-f]{8}-(\d+)\.\w+$/;

export type FileKey = Pick<ObjectOwner, 'id' | 'kind'> & {
  readonly store: string;
  /** Beginning of the SHA-256 in hex. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
};

/** Returns what the key of a file tells; undefined for other objects. */
export function parseFileKey(key: string): FileKey | undefined {
  const [, store = '', id = '', kind = '', digest = '', size] = FILE_KEY.exec(key) ?? [];
  return size === undefined ? undefined : { store, id, kind, digest, size: Number(size) };
}

/** Returns a new key for a part of an unfinished upload. */
export const createPartKey = (uploadId: string, position: number): string =>
  `uploads/${uploadId.slice(0, 2)}/${uploadId}-${position}-${randomBytes(6).toString('hex')}`;

/** Returns the upload that a key was made for; undefined for other objects. */
export const parsePartKey = (key: string): string | undefined =>
  /^uploads\/[\da-f]{2}\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-\d+-[\da-f]{12}$/.exec(
    key,
  )?.[1];

/** Whether the name of a file is a key of the object store: names in folders begin otherwise. */
export const isObjectName = (name: string): boolean =>
  name.startsWith('derived/') || name.startsWith('profiles/') || name.startsWith('exports/');
