import { readdir, stat } from 'node:fs/promises';
import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { originalPath, MARKER } from './stored-file.ts';
import type { Db } from '../db/client.ts';
import { findObjectStore } from './objects.ts';
import {
  FILE_STORES,
  FOLDER_MARKER,
  writeFolderId,
  hasFiles,
  readMark,
  writeMark,
  type Library,
  lockLibrary,
  readFormerLibrary,
  readLibrary,
  sampleOriginals,
  setMarked,
} from './file-folder.ts';
import { withinLoopTime } from '../core/loop-deadline.ts';

// A process proves that its folders are those of its database before it serves, claims jobs or writes: below
// a disk that is not mounted lies an empty folder, or that of another library. Each folder holds a file with
// the identifier of the library. It is read again only when the folder has changed or is another one.

export const STORES = ['originals', 'derived', 'backups'] as const;

type Stores = {
  readonly libraryId: string;
  /** Identity of the data folder that has the files; null: of each that is marked. */
  folderId: string | null;
  /** Asks the database for it, which others change; undefined where this server is the only one. */
  readonly readFolderId: (() => Promise<string | null>) | undefined;
  askedAt: number;
  /** The identities of the folders that were proven. */
  proven: Map<string, string>;
  /** Why the object store is not that of the library. */
  objectFault: string | undefined;
  /** Undefined: the last check has proven all folders. */
  fault: string | undefined;
};

/** By data folder. */
const known = new Map<string, Stores>();

type StoreDeps = Pick<Deps, 'db' | 'paths'> & {
  readonly settings: Parameters<typeof findObjectStore>[0] & Pick<Settings, 'databaseUrl'>;
};

/** A disk that hangs must not hang what asks for it. */
const DEADLINE_MS = 3000;

/**
 * Before a library is served, and while it cannot be: marks the folders of a new library, and of a restored one whose
 * originals are there. Returns why the folders cannot be used, for the owner; undefined when they can.
 */
export async function openStores(deps: StoreDeps): Promise<string | undefined> {
  const library = await readLibrary(deps.db);
  if (!library.isMarked) await markStores(deps);
  await markEmptyFolders(deps, library);
  return remember(deps, library);
}

/** Like `openStores`, for what works beside the server that marks the folders. */
export async function joinStores(deps: StoreDeps): Promise<string | undefined> {
  const library = await readLibrary(deps.db);
  if (!library.isMarked) return undefined;
  await markEmptyFolders(deps, library);
  return remember(deps, library);
}

/**
 * Machines beside an object store have folders of their own, which are empty at first. Those are marked, unless the
 * library has files that would be in them: then it is their disk that is missing.
 */
async function markEmptyFolders(
  { db, paths, settings }: StoreDeps,
  { id, folderId }: Library,
): Promise<void> {
  if (folderId !== null || !findObjectStore(settings)) return;
  const empty: string[] = [];
  for (const name of STORES) {
    const entries = await readdir(paths[name]).catch(() => []);
    if (entries.every((entry) => entry === SCRATCH)) empty.push(paths[name]);
  }
  if (empty.length === 0 || (await hasFiles(db, paths.root))) return;
  for (const folder of empty) await writeMark(folder, MARKER, id);
}

/** The folder for intermediate files, which jobs make. */
const SCRATCH = 'scratch';

function remember(
  { db, paths, settings }: StoreDeps,
  { id: libraryId, folderId }: Library,
): Promise<string | undefined> {
  const objectFault = known.get(paths.root)?.objectFault;
  const readFolderId =
    settings.databaseUrl === undefined ? undefined : async () => (await readLibrary(db)).folderId;
  const stores: Stores = {
    libraryId,
    folderId,
    readFolderId,
    askedAt: performance.now(),
    proven: new Map(),
    objectFault,
    fault: undefined,
  };
  known.set(paths.root, stores);
  return check(paths, stores);
}

/** Nothing is checked any more. */
export const closeStores = ({ root }: DataPaths): void => void known.delete(root);

/** Returns why the folders are not those of the library; undefined when they are, or were not opened. */
export async function findStoreFault({ paths }: Pick<Deps, 'paths'>): Promise<string | undefined> {
  const stores = known.get(paths.root);
  return stores && check(paths, stores);
}

/** Files are moved to another folder by a command on another machine. Less than the pause between two checks. */
const ASK_MS = 1500;

/** Asks in the background, for the next check: a database that is away says nothing about the folders. */
function askForFolder(stores: Stores): void {
  const now = performance.now();
  if (!stores.readFolderId || now - stores.askedAt < ASK_MS) return;
  stores.askedAt = now;
  stores.readFolderId().then(
    (folderId) => {
      if (folderId === stores.folderId) return;
      stores.folderId = folderId;
      // A check that runs goes on to fill the former one.
      stores.proven = new Map();
    },
    () => {},
  );
}

async function check(paths: DataPaths, stores: Stores): Promise<string | undefined> {
  askForFolder(stores);
  const hangs = `The disk of ${paths.root} does not answer`;
  const found = await withinLoopTime(compareFolders(paths, stores), DEADLINE_MS, hangs);
  return (stores.fault = stores.objectFault ?? found);
}

/** While there is a reason, no folder is that of the library either: nothing is served or written. */
export function setObjectFault({ root }: DataPaths, reason: string | undefined): void {
  const stores = known.get(root);
  if (stores) stores.objectFault = reason;
}

/**
 * Throws 503 unless the folders are those of the library, now. Before bytes are taken, and once more before it is
 * acknowledged that they are kept: meanwhile the disk may have gone.
 */
export async function requireStores(deps: Pick<Deps, 'paths'>): Promise<void> {
  const fault = await findStoreFault(deps);
  if (fault !== undefined) throw new StorageUnavailable(fault);
}

/** The same for the library that a file belongs to, where this process knows one. */
export async function findFaultByFile(file: string): Promise<string | undefined> {
  const [root, stores] = [...known].find(([folder]) => file.startsWith(`${folder}/`)) ?? [];
  return root && stores && check(dataPaths(root), stores);
}

/** Returns what the last check of this process has found, without looking again. */
export const getStoreFault = ({ root }: DataPaths): string | undefined => known.get(root)?.fault;

/** Makes the folders those of this library, whatever is in them: on the word of the owner. */
export async function acceptStores({ db, paths }: Pick<StoreDeps, 'db' | 'paths'>): Promise<void> {
  await markAll(paths, await lockLibrary(db));
  await setMarked(db);
}

async function markAll(paths: DataPaths, { id, folderId }: Library): Promise<void> {
  for (const name of STORES) await writeMark(paths[name], MARKER, id);
  if (folderId !== null) await writeFolderId(paths, folderId);
}

/** Returns why the folder for backups is not that of the library, whose schema may be of an earlier version. */
export async function findBackupsFault(
  db: Db,
  { backups }: Pick<DataPaths, 'backups'>,
): Promise<string | undefined> {
  const { id, isMarked } = await readFormerLibrary(db);
  if (!isMarked) return undefined;
  const compare = async () => {
    const found = await readMark(backups, MARKER);
    return found === id ? undefined : describeStoreFault(backups, found);
  };
  return withinLoopTime(compare(), DEADLINE_MS, `The disk of ${backups} does not answer`);
}

async function compareFolders(paths: DataPaths, { libraryId, folderId, proven }: Stores) {
  for (const name of STORES) {
    const folder = paths[name];
    const identity = await identify(folder);
    if (identity !== undefined && proven.get(folder) === identity) continue;
    const found = await readMark(folder, MARKER);
    if (identity === undefined || found !== libraryId) {
      proven.delete(folder);
      return describeStoreFault(folder, found);
    }
    if (folderId !== null && HAS_FILES.has(name)) {
      if ((await readMark(folder, FOLDER_MARKER)) !== folderId) return describeOtherFolder(folder);
    }
    proven.set(folder, identity);
  }
  return undefined;
}

const HAS_FILES: ReadonlySet<string> = new Set(FILE_STORES);

const describeOtherFolder = (folder: string): string =>
  `${folder} is not the folder that files of this library were moved to by 'safelight storage move --to files': ` +
  `mount that one here. If it is the right folder, 'safelight maintenance accept-folders' accepts it`;

const describeStoreFault = (folder: string, found: string): string =>
  found === ''
    ? `${folder} is not the folder of this library, its file ${MARKER} is missing: is its disk mounted? ` +
      `If it is the right folder, 'safelight maintenance accept-folders' accepts it`
    : `${folder} belongs to another library than the database: is the right disk mounted? ` +
      `If it is the right folder, 'safelight maintenance accept-folders' accepts it`;

/** Returns what changes when another folder is mounted, or something in one of them is added or removed. */
export const identifyStores = async (paths: DataPaths): Promise<string> =>
  String(await Promise.all(STORES.map((name) => identify(paths[name]))));

/** The number of an inode is used again: so the time of the last change belongs to it. */
const identify = (folder: string): Promise<string | undefined> =>
  stat(folder, { bigint: true }).then(
    ({ dev, ino, ctimeNs }) => `${dev}:${ino}:${ctimeNs}`,
    () => undefined,
  );

/** In one transaction, for which other processes wait: they see all folders marked, or none. */
async function markStores({ db, paths }: Pick<StoreDeps, 'db' | 'paths'>): Promise<void> {
  await db.transaction(async (tx) => {
    const library = await lockLibrary(tx);
    if (library.isMarked || !(await canMark(tx, paths, library.id))) return;
    await markAll(paths, library);
    await setMarked(tx);
  });
}

const SAMPLE = 20;

/** Originals of the library are in the folder; it may hold none, or be another's, only if the library has none. */
async function canMark(db: Db, paths: DataPaths, id: string): Promise<boolean> {
  const sample = await sampleOriginals(db, SAMPLE);
  const found = await Promise.all(sample.map((sha256) => identify(originalPath(paths, sha256))));
  if (sample.length > 0) return found.some((identity) => identity !== undefined);
  const marker = await readMark(paths.originals, MARKER);
  if (marker === '' || marker === id) return true;
  const names = await readdir(paths.originals);
  return names.every((name) => name === MARKER || name === FOLDER_MARKER);
}
