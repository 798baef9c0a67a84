// Object stores keep originals outside the data folder. Keys are never used twice: what has one is never changed, and a
// deletion that comes late, or twice, cannot meet other bytes.

/** Bytes from `start` to `end`, exclusive. */
export type ObjectRange = { readonly start: number; readonly end: number };

/** Long content is put in parts of this length. */
export const PART_BYTES = 16 * 1024 ** 2;

export type LocalContent = {
  readonly path: string;
  /** Where it begins in the file; without, at its beginning. */
  readonly start?: number;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** Objects with its first parts, each of PART_BYTES, which the store copies instead of being sent them again. */
  readonly partKeys?: readonly string[] | undefined;
};

export type ListedObject = {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
};

/** Every method throws StorageUnavailable when the store cannot be reached, refuses, or is too slow. */
export type ObjectStore = {
  /** For the log and for administrators, without secrets. */
  readonly url: string;
  /** Resolves when the store has the content for good. The key must be new; trying again with the same content is none. */
  put(key: string, content: LocalContent): Promise<void>;
  /** Writes a short text, unless the key exists. Returns whether it was written. */
  putText(key: string, text: string): Promise<boolean>;
  /** Returns the length in bytes; undefined without such an object. */
  findSize(key: string): Promise<number | undefined>;
  /** Reads a short text; undefined without such an object. */
  findText(key: string): Promise<string | undefined>;
  /** Yields the bytes of an existing object, or of a part of it. Throws ObjectMissing before the first. */
  read(key: string, range: ObjectRange): AsyncGenerator<Uint8Array>;
  /** Returns an address by which anybody may read an object. */
  presign(key: string, link: ObjectLink): Promise<string>;
  /** Deletes objects; those that do not exist are none. */
  remove(keys: readonly string[]): Promise<void>;
  /** Yields the objects whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): AsyncGenerator<ListedObject>;
};

export type ObjectLink = {
  /** Time for which the address holds. */
  readonly seconds: number;
  /** Headers of the answer. */
  readonly type: string;
  readonly disposition: string;
  readonly cacheControl: string;
};

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';
}
