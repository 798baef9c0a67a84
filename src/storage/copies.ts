import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deps } from '../core/context.ts';
import { toHex } from '../core/hash.ts';
import type { DataPaths } from '../core/paths.ts';
import { getProcessOwner, isOwnerProcessDead } from '../media/process-stat.ts';
import { openObjectStore } from './objects.ts';
import { ObjectMissing } from './s3-request.ts';
import { getOriginalCopyPath, type StoredObject, isObjectName } from './stored-file.ts';

// Copies of objects on this machine, the least recently used of which go first. Whoever uses one holds a second name of
// its file, so that it can go at any time, and whichever process decides so.

type LeasedCopy = AsyncDisposable & { readonly path: string; readonly size: number };

export type CopyDeps = Pick<Deps, 'db' | 'sql' | 'settings' | 'paths' | 'log'>;
type CacheDeps = Pick<Deps, 'paths' | 'settings'>;

type CopyName = Pick<StoredObject, 'key' | 'sha256'>;

const getCopyPath = (paths: DataPaths, { key, sha256 }: CopyName): string =>
  isObjectName(key) ? join(paths.cache, key) : getOriginalCopyPath(paths, sha256);
const getLeaseFolder = ({ cache }: DataPaths): string => join(cache, 'leases');

const getHeldPath = (paths: DataPaths, sha256: string): string =>
  join(getLeaseFolder(paths), `${sha256}.held`);

const createLeasePath = (paths: DataPaths): string =>
  join(getLeaseFolder(paths), `${randomUUID()}.${getProcessOwner()}`);

/**
 * Returns a file with the bytes of an object, which stays until it is disposed; undefined when the object is gone or
 * has other bytes. Throws StorageUnavailable.
 */
export async function leaseCopy(
  deps: CopyDeps,
  object: StoredObject,
): Promise<LeasedCopy | undefined> {
  const path = createLeasePath(deps.paths);
  if (!(await materialize(deps, object, path))) return undefined;
  return {
    path,
    size: object.size,
    [Symbol.asyncDispose]: () => unlink(path).catch(() => {}),
  };
}

/** Returns the path of such a file, which stays for 12 hours after it was asked for last. */
export async function holdCopy(deps: CopyDeps, object: StoredObject): Promise<string | undefined> {
  const path = getHeldPath(deps.paths, object.sha256);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined && !(await materialize(deps, object, path))) return undefined;
  await touch(path);
  return path;
}

/** The time of the last use of a copy is as exact as this. */
const USE_STEP_MS = 5 * 60_000;

/**
 * Returns the path of the copy of an object that is no original, which stays for half an hour after it was asked for
 * last; undefined when the object is gone or has other bytes.
 */
export async function ensureCopy(
  deps: CopyDeps,
  object: StoredObject,
): Promise<string | undefined> {
  const path = getCopyPath(deps.paths, object);
  const found = await stat(path).catch(() => undefined);
  if (found?.size === object.size) {
    if (Date.now() - found.mtimeMs > USE_STEP_MS) await touch(path);
    return path;
  }
  const fetchCopy = async () => {
    for (const folder of [dirname(path), getLeaseFolder(deps.paths)]) {
      await mkdir(folder, { recursive: true });
    }
    const isThere = await fetchInto(deps, object, path);
    if (isThere) noteCopy(deps, object.size);
    return isThere;
  };
  const isThere = await (downloads.get(path) ?? keepRunning(path, fetchCopy()));
  return isThere ? path : undefined;
}

/** Gives the bytes of an object the name `path`. Returns false when it is gone or has other bytes. */
async function materialize(deps: CopyDeps, object: StoredObject, path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  return (await linkCopy(deps.paths, object, path)) || download(deps, object, path);
}

/** Returns the copy of an object, open for reading; undefined when there is none. */
export async function openCopy(paths: DataPaths, { size, ...name }: StoredObject) {
  const copy = getCopyPath(paths, name);
  const file = await open(copy).catch(() => undefined);
  if (file && (await file.stat()).size === size) {
    await touch(copy);
    return file;
  }
  await file?.close();
  return undefined;
}

/** Takes a file of this disk as the copy of an object: it was received a moment ago. It is removed or not, as it was. */
export async function addCopy(
  { paths, settings }: CacheDeps,
  { path, ...name }: CopyName & { readonly path: string },
): Promise<void> {
  const copy = getCopyPath(paths, name);
  await mkdir(dirname(copy), { recursive: true });
  // It exists, or the file system has no links: then it is fetched when it is needed.
  if (!(await tryLink(path, copy))) return;
  await touch(copy);
  noteCopy({ paths, settings }, Bun.file(copy).size);
}

/** Removes the copies of originals (SHA-256 in hex). A lease stays. */
export async function removeCopies(paths: DataPaths, hashes: readonly string[]): Promise<void> {
  for (const sha256 of hashes) {
    await unlink(getCopyPath(paths, { key: '', sha256 })).catch(() => {});
    await unlink(getHeldPath(paths, sha256)).catch(() => {});
  }
}

/** Returns whether there was a copy in its length, of which `path` is now a name. */
async function linkCopy(paths: DataPaths, { size, ...name }: StoredObject, path: string) {
  const copy = getCopyPath(paths, name);
  const found = await stat(copy).catch(() => undefined);
  if (found?.size !== size) return false;
  const isLinked = await tryLink(copy, path);
  if (isLinked) await touch(copy);
  return isLinked;
}

const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

/** Downloads that run, by the copy that they make: the second who wants it waits for the first. */
const downloads = new Map<string, Promise<boolean>>();

async function download(deps: CopyDeps, object: StoredObject, path: string): Promise<boolean> {
  const { paths } = deps;
  const copy = getCopyPath(paths, object);
  const running = downloads.get(copy);
  if (running) {
    await running.catch(() => {});
    if (await linkCopy(paths, object, path)) return true;
  }
  const fetchAndAdd = async () => {
    const isThere = await fetchInto(deps, object, path);
    if (isThere) await addCopy(deps, { path, key: object.key, sha256: object.sha256 });
    return isThere;
  };
  return keepRunning(copy, fetchAndAdd());
}

async function keepRunning(copy: string, own: Promise<boolean>): Promise<boolean> {
  downloads.set(copy, own);
  try {
    return await own;
  } finally {
    if (downloads.get(copy) === own) downloads.delete(copy);
  }
}

/** Returns false when the object is gone or has other bytes. */
async function fetchInto(deps: CopyDeps, object: StoredObject, path: string): Promise<boolean> {
  const objects = await openObjectStore(deps);
  const draft = createLeasePath(deps.paths);
  const hash = new Bun.CryptoHasher('sha256');
  const file = await open(draft, 'wx', 0o640);
  try {
    for await (const chunk of objects.read(object.key, { start: 0, end: object.size })) {
      hash.update(chunk);
      // Unlike write(), it never writes a part of the chunk.
      await file.appendFile(chunk);
    }
    if (toHex(hash.digest()).startsWith(object.sha256)) {
      await rename(draft, path);
      return true;
    }
    deps.log.error('an object has other bytes than its key says', { key: object.key });
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    deps.log.error('an object is missing', { key: object.key });
  } finally {
    await file.close();
    await unlink(draft).catch(() => {});
  }
  return false;
}

const HELD_MS = 12 * 3600 * 1000;

/** Removes what nobody has asked for, and what processes that were killed have leased. */
export async function sweepLeases(paths: DataPaths): Promise<void> {
  const folder = getLeaseFolder(paths);
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const owner = name.slice(name.indexOf('.') + 1);
    const isOver =
      owner === 'held'
        ? ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) < Date.now() - HELD_MS
        : isOwnerProcessDead(owner);
    if (isOver) await unlink(path).catch(() => {});
  }
}

// Copies over the budget of this machine.

const STORES = ['originals', 'derived', 'profiles', 'exports'] as const;

/** Yields the paths of the copies: those of originals are named by digests, others as their objects. */
export async function* listCopies(
  { cache }: DataPaths,
  store: (typeof STORES)[number],
): AsyncGenerator<string> {
  const root = join(cache, store);
  for (const folder of await readdir(root).catch(() => [])) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      yield join(root, folder, name);
    }
  }
}

/** Copies of files other than originals are used by their paths. */
const IN_USE_MS = 30 * 60_000;

/**
 * Removes the least recently used copies, if all have more than `budget` bytes, until they have at most `target`.
 * Returns how many.
 */
export async function evictCopies(
  paths: DataPaths,
  budget: number,
  target = budget,
): Promise<number> {
  const copies: { readonly path: string; readonly size: number; readonly usedAt: number }[] = [];
  let bytes = 0;
  for (const store of STORES) {
    for await (const path of listCopies(paths, store)) {
      const found = await stat(path).catch(() => undefined);
      if (!found) continue;
      const { size, mtimeMs: usedAt } = found;
      bytes += size;
      const isInUse = store !== 'originals' && Date.now() - usedAt < IN_USE_MS;
      if (!isInUse) copies.push({ path, size, usedAt });
    }
  }
  let removed = 0;
  const isOver = bytes > budget;
  for (const { path, size } of isOver ? copies.toSorted((a, b) => a.usedAt - b.usedAt) : []) {
    if (bytes <= target) break;
    await unlink(path).catch(() => {});
    bytes -= size;
    removed += 1;
  }
  usages.set(paths.cache, { bytes, countedAt: performance.now(), isDue: false });
  return removed;
}

type Usage = {
  /** Bytes of all copies when they were counted, and of those that this thread has added since. */
  bytes: number;
  countedAt: number;
  /** Whether a count will begin soon. */
  isDue: boolean;
};

const usages = new Map<string, Usage>();

const EVICTION_PAUSE_MS = 10_000;
/** Other processes add copies, too. */
const RECOUNT_MS = 3600_000;
/** Counting takes as long as there are copies: so it is not done for each that is added. */
const TARGET_SHARE = 0.9;

/** Notes that a copy was added. Evicts what is over the budget, some time later. */
export function noteCopy({ paths, settings }: CacheDeps, bytes: number): void {
  const budget = settings.objectCacheBytes;
  const usage = usages.get(paths.cache) ?? { bytes: Infinity, countedAt: 0, isDue: false };
  usages.set(paths.cache, usage);
  usage.bytes += bytes;
  const isOld = performance.now() - usage.countedAt > RECOUNT_MS;
  if (usage.isDue || (usage.bytes <= budget && !isOld)) return;
  usage.isDue = true;
  const timer = setTimeout(() => {
    evictCopies(paths, budget, budget * TARGET_SHARE).catch(() => void (usage.isDue = false));
  }, EVICTION_PAUSE_MS);
  timer.unref();
}
