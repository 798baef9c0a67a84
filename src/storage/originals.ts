import { stat } from 'node:fs/promises';
import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { reach } from '../core/fault-points.ts';
import { toHex } from '../core/hash.ts';
import type { DataPaths } from '../core/paths.ts';
import { addCopy } from './copies.ts';
import { requireStores } from './library-folders.ts';
import type { LocalContent } from './object-store.ts';
import {
  findObjectStore,
  keepObject,
  leaveObject,
  type ObjectDeps,
  openObjectStore,
  putObject,
} from './objects.ts';
import type { OriginalState } from './originals.store.ts';
import { originalPath, createOriginalKey } from './stored-file.ts';
import type { Digests, FileDoubt, Incoming } from '../media/incoming-file.ts';
import type { Placement } from '../media/file-placement.ts';

export { type Digests, type Incoming, openIncoming } from '../media/incoming-file.ts';

// The rule that keeps bytes from being lost: whoever publishes or deletes the file of an original
// holds the lock on its row in table `original` until commit, and looks only then.
//
// - Taking in: insert the row (or lock the one that is there), insert the asset, publish the file,
//   commit. A rollback after that leaves a file that no row names, never a row without its file.
// - Deleting: `select … for update` on the row, look again whether any asset refers to it, delete
//   the row, put the file aside (see quarantine), commit.
//
// In an object store (src/storage) the bytes are there before the transaction, which only names their object.
//
// Locks are taken in the order original, then account; nobody who holds an account row waits for an
// original.

type Content = {
  readonly sha256: Uint8Array | string;
  /** Bytes. */
  readonly size: number;
};

type StoreDeps = Pick<Deps, 'db' | 'sql' | 'paths' | 'settings'>;

/** Returns whether the content is there in its length: in the file, or in the object store. */
export async function hasOriginal(
  deps: StoreDeps,
  { objectKey, sha256, size }: Content & Pick<OriginalState, 'objectKey'>,
): Promise<boolean> {
  if (objectKey !== null) return (await (await openObjectStore(deps)).findSize(objectKey)) === size;
  const found = await stat(originalPath(deps.paths, sha256)).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
}

/** Received bytes on their way to their place. */
export type Received = {
  readonly file: Pick<Incoming, 'path' | 'sync' | 'publish'>;
  readonly digests: Digests;
  /** Key in the object store, which has them already. */
  readonly objectKey?: string | undefined;
  /** Keys of its first parts in the object store (see LocalContent). */
  readonly partKeys?: readonly string[] | undefined;
};

/**
 * Makes the bytes durable, and has the object store keep them, where there is one. Call it before the transaction that
 * publishes them.
 */
export async function storeReceived<T extends Received>(deps: ObjectDeps, received: T): Promise<T> {
  const { file, digests, partKeys } = received;
  if (received.objectKey !== undefined) return received;
  await file.sync();
  const objectKey = await putOriginal(deps, { path: file.path, ...digests, partKeys });
  return objectKey === undefined ? received : { ...received, objectKey };
}

/**
 * Gives the received bytes their final place; bytes there that are damaged are replaced. Call it in the
 * transaction that holds the lock on the row of this original, last before the commit. When it returns, the bytes
 * survive a power loss.
 */
export async function publishOriginal(
  deps: StoreDeps,
  received: Received,
  state: OriginalState,
): Promise<void> {
  const { file, digests, objectKey } = received;
  const { sha256 } = digests;
  const { isUnverified, objectKey: formerKey } = state;
  const isNamed = formerKey !== null && !isUnverified;
  if (isNamed && (await hasOriginal(deps, { ...digests, objectKey: formerKey }))) return;
  if (objectKey !== undefined) {
    await nameObject(deps, sha256, objectKey);
    reach('object.named');
    await addCopy(deps, { path: file.path, key: objectKey, sha256: toHex(sha256) });
    return;
  }
  if (findObjectStore(deps.settings)) throw new Error('storeReceived() must complete before');
  if (formerKey !== null) await leaveObject(deps.db, sha256, 0);
  await publishFile(deps.paths, file, sha256, { isDoubted: isUnverified });
}

/** The same for a file of the data folder, which is not one that a disk hides later. */
export async function publishFile(
  paths: DataPaths,
  incoming: Pick<Incoming, 'publish'>,
  sha256: Uint8Array,
  doubt?: FileDoubt,
): Promise<Placement> {
  const placement = await incoming.publish(originalPath(paths, sha256), doubt);
  await requireStores({ paths });
  return placement;
}

type ReceivedContent = Pick<LocalContent, 'path' | 'size' | 'partKeys'> & {
  readonly sha256: Uint8Array;
};

/**
 * Has the object store keep the content, which `nameObject` makes an original later. Returns its key; undefined where
 * originals are files. Call it outside of a transaction: it takes as long as the network. What the library has already
 * is sent, too: else the time would tell what others have.
 */
export async function putOriginal(
  deps: ObjectDeps,
  content: ReceivedContent,
): Promise<string | undefined> {
  if (!findObjectStore(deps.settings)) return undefined;
  const sha256 = toHex(content.sha256);
  const key = createOriginalKey(sha256);
  await putObject(deps, key, { ...content, sha256 });
  return key;
}

/** Makes an object the place of an original, whose row the caller holds. */
export async function nameObject(
  { db }: Pick<Deps, 'db'>,
  sha256: Uint8Array,
  key: string,
): Promise<void> {
  if (await keepObject(db, sha256, key)) return;
  throw new StorageUnavailable(`The upload of ${key} took longer than a day`);
}
