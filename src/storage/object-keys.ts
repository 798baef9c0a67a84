import { randomBytes } from 'node:crypto';

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
