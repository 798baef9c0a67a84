import { join } from 'node:path';
import { guardPath } from '../core/guarded-path.ts';
import { toHex } from '../core/hash.ts';
import type { DataPaths } from '../core/paths.ts';
import { isObjectName, parseFileKey } from './object-keys.ts';

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
