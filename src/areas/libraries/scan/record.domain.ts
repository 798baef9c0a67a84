import { isPlainPath } from '../../../core/guarded-path.ts';
import { lstat, stat, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { describeDenied } from '../../../core/access-remedy.ts';
import type { Deps } from '../../../core/context.ts';
import { explainDenied } from '../../../core/disk-errors.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { findPathFault, isInside } from '../import-path.ts';
import { takeInFiles } from '../jobs.ts';
import { compileExclusions, PRESET_EXCLUSIONS } from './exclusions.ts';
import * as store from './scan.store.ts';
import { createWalkReport, type FoundFile, walkFolder, type WalkReport } from './walk.ts';

const BITS = 8 * 65_536;

/** A set of positive integers that lie close together: a bit for each. */
class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const at = Math.floor(id / BITS);
    let page = this.#pages.get(at);
    if (!page) this.#pages.set(at, (page = new Uint8Array(BITS / 8)));
    const bit = id % BITS;
    page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  has(id: number): boolean {
    const bit = id % BITS;
    return ((this.#pages.get(Math.floor(id / BITS))?.[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

const BATCH_SIZE = 2_000;
const PAGE_SIZE = 10_000;
/** Files that are taken in together: few transactions, and not much to repeat. */
const PART_SIZE = 25;
/** A file that has changed since is perhaps still being written. */
const QUIET_MS = 2_000;
/** More files that have just changed are recorded as they are. */
const MAX_BUSY_FILES = 5_000;

export type ScanCtx = Deps & Pick<JobCtx, 'signal' | 'restartTimeLimit'>;

/** The findings of one scan. */
export type Findings = {
  /** Ids of the files that were found. */
  readonly seen: IdSet;
  /** Folders with files that are still being written. */
  readonly busyFolders: Set<string>;
  readonly report: WalkReport;
};

export const createFindings = (): Findings => ({
  seen: new IdSet(),
  busyFolders: new Set(),
  report: createWalkReport(),
});

/** Returns why an import path cannot be scanned. */
export async function findRootFault(
  { paths }: Pick<ScanCtx, 'paths'>,
  root: string,
): Promise<string | undefined> {
  if (!isAbsolute(root)) return findPathFault(paths, root);
  const found = await stat(root).catch((error: Error) => error);
  if (found instanceof Error) {
    return `${root} cannot be reached: ${explainDenied(found) ?? found.message}`;
  }
  if (!found.isDirectory()) return `${root} is no folder`;
  const denied = describeDenied(root, 'read');
  if (denied !== undefined) return denied;
  // Nobody has looked at it when it was given; and what it leads to may have changed since.
  const fault = await findPathFault(paths, root);
  return fault === undefined ? undefined : `${root} cannot be imported: ${fault}`;
}

/** Records the files of a folder, and what could not be seen. */
export async function recordFolder(
  ctx: ScanCtx,
  library: LibraryRow,
  folder: { readonly path: string; readonly isDeep: boolean },
  findings: Findings,
): Promise<void> {
  const { exclusionPatterns } = library;
  const { report } = findings;
  const options = { exclusionPatterns, isShallow: !folder.isDeep, signal: ctx.signal, report };
  const busy: FoundFile[] = [];
  const record = async (files: readonly FoundFile[]) => {
    const ids = await store.recordFiles(ctx.db, library.id, files);
    for (const id of ids) findings.seen.add(id);
  };
  for await (const files of walkFolder(folder.path, BATCH_SIZE, options)) {
    ctx.restartTimeLimit();
    const now = ctx.now().getTime();
    const { quiet = [], changing = [] } = Object.groupBy(files, (file) =>
      isChanging(file, now) && busy.length < MAX_BUSY_FILES ? 'changing' : 'quiet',
    );
    busy.push(...changing);
    await record(quiet);
  }
  const { quiet, folders } = await waitForQuiet(busy, ctx.signal);
  for (let at = 0; at < quiet.length; at += BATCH_SIZE) {
    await record(quiet.slice(at, at + BATCH_SIZE));
  }
  for (const path of folders) findings.busyFolders.add(path);
}

/** Explains a line of find(1). Nobody but root may read some folders of systems of files. */
export function explainFault(line: string): string {
  const path = /^find: '(.+)': Permission denied$/.exec(line)?.[1];
  if (path === undefined) return line;
  const pattern = `**/${basename(path)}/**`;
  if (PRESET_EXCLUSIONS.includes(pattern)) {
    return `${path} is no folder of photos: leave it out by the exclusion pattern ${pattern}`;
  }
  return describeDenied(path, 'read') ?? line;
}

/** The clocks of a server of files and of this machine may differ. */
const isChanging = ({ changedMs }: FoundFile, nowMs: number): boolean =>
  Math.abs(nowMs - changedMs) < QUIET_MS;

/** Returns the files that have not changed meanwhile, and the folders of those that have. */
async function waitForQuiet(files: readonly FoundFile[], signal: AbortSignal) {
  const quiet: FoundFile[] = [];
  const folders = new Set<string>();
  if (files.length > 0) await Bun.sleep(QUIET_MS);
  for (const file of files) {
    signal.throwIfAborted();
    const found = await lstat(file.path).catch(() => undefined);
    if (found?.size === file.size && Math.abs(found.ctimeMs - file.changedMs) < 1) quiet.push(file);
    else folders.add(dirname(file.path));
  }
  return { quiet, folders };
}

type UnseenScope = {
  /** Only files in it and, if it is deep, below it. */
  readonly folder?: { readonly path: string; readonly isDeep: boolean };
  /** Import paths that could not be looked at. */
  readonly unreachable?: readonly string[];
};

/**
 * Marks the known files of a library, or of one of its folders, that were not found and are not there.
 * Files may have come since their folder was read.
 */
export async function markUnseen(
  ctx: ScanCtx,
  library: LibraryRow,
  { seen }: Findings,
  { folder, unreachable = [] }: UnseenScope,
): Promise<void> {
  const isPresent = createPresenceCheck(library, unreachable);
  let after = 0;
  let moved = 0;
  await runThrottled(ctx, async () => {
    const page = await store.listPresent(ctx.db, library.id, { after, limit: PAGE_SIZE, folder });
    after = page.at(-1) ?? after;
    const unseen: number[] = [];
    for (const { id, path } of await store.listPaths(
      ctx.db,
      page.filter((id) => !seen.has(id)),
    )) {
      if (!(await isPresent(path))) unseen.push(id);
    }
    moved += await store.recordUnseen(ctx.db, library.id, unseen, ctx.now());
    return page.length === PAGE_SIZE;
  });
  if (moved > 0) await store.updatePaths(ctx.db, library.id);
}

/** Returns whether the owner's patterns and import paths leave a file out. */
export function createLeftOutCheck({ importPaths, exclusionPatterns }: LibraryRow) {
  const isExcluded = compileExclusions(exclusionPatterns);
  return (path: string): boolean =>
    isExcluded(path) || !importPaths.some((root) => isInside(root, path));
}

/** A file that cannot be looked at, because its disk fails, is not gone. */
function createPresenceCheck(library: LibraryRow, unreachable: readonly string[]) {
  const isLeftOut = createLeftOutCheck(library);
  const isListed = createListing(library.importPaths);
  return async (path: string): Promise<boolean> => {
    if (isLeftOut(path)) return false;
    if (unreachable.some((root) => isInside(root, path))) return true;
    const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) return !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(found.code ?? '');
    return found.isFile() && (await isPlainPath(path)) && isListed(path);
  };
}

/** Yields the ids of those of the found files that have to be read, in parts for one transaction each. */
export async function* listFoundUnread(
  { db }: Pick<Deps, 'db'>,
  libraryId: string,
  { seen }: Findings,
): AsyncGenerator<number[][]> {
  let after = 0;
  for (;;) {
    const page = await store.listUnread(db, libraryId, after, PAGE_SIZE);
    const ids = page.filter((id) => seen.has(id));
    const parts: number[][] = [];
    for (let at = 0; at < ids.length; at += PART_SIZE) parts.push(ids.slice(at, at + PART_SIZE));
    yield parts;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = last;
  }
}

/** Enqueues the reading of those of the found files that have to be read. */
export async function enqueueUnread(
  ctx: Pick<Deps, 'db'>,
  libraryId: string,
  findings: Findings,
): Promise<void> {
  for await (const parts of listFoundUnread(ctx, libraryId, findings)) {
    const payloads = parts.map((fileIds) => ({ libraryId, fileIds }));
    await enqueueMany(ctx.db, takeInFiles, payloads);
  }
}

/**
 * Returns whether the folders on the way to a file, from the given ones on, have the names of its path. File systems of
 * Windows and Macs find `Trip/a.jpg` at `trip/A.JPG`, too: the same file would be two. Each folder is read once.
 */
export function createListing(roots: readonly string[]): (path: string) => Promise<boolean> {
  const folders = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  const isListed = async (path: string): Promise<boolean> => {
    const folder = dirname(path);
    if (roots.includes(path) || folder === path) return true;
    let names = folders.get(folder);
    if (!names) folders.set(folder, (names = readNames(folder)));
    // A folder that may not be read tells nothing.
    return ((await names)?.has(basename(path)) ?? true) && isListed(folder);
  };
  return isListed;
}

const readNames = (folder: string): Promise<ReadonlySet<string> | undefined> =>
  readdir(folder).then(
    (names) => new Set(names),
    () => undefined,
  );
