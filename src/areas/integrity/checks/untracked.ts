import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import {
  claimOriginals,
  filterUnreferenced,
  filterUntrackedDerived,
  lockAssets,
  parseDerivedOwner,
  releaseOriginals,
} from '../../trash/index.ts';
import { lockSidecars } from '../../uploads/index.ts';
import { FOLDER_MARKER } from '../../../storage/file-folder.ts';
import { MARKER } from '../../../storage/stored-file.ts';
import { STORES } from '../../../storage/library-folders.ts';
import { type Scan, listBusyAssets } from '../store.ts';
import type { Step } from './scan.ts';

const BATCH = 1000;
/** Files whose locks are held at once. */
const CLAIM_BATCH = 100;
/** Folders with files that rows refer to, in the data folder. */
const TREES = ['derived', 'originals'] as const;
/** Has its own rules. */
const IGNORED = new Set([
  'derived/scratch',
  ...STORES.flatMap((store) => [`${store}/${MARKER}`, `${store}/${FOLDER_MARKER}`]),
]);

/** Looks for files that no row refers to. Its cursor is the last entry of a tree that it has walked. */
export async function* checkUntracked(ctx: JobCtx, scan: Scan): AsyncGenerator<Step> {
  const entries = (await Promise.all(TREES.map((tree) => listEntries(ctx, tree)))).flat();
  let cursor = scan.cursor ?? '';
  for (const entry of entries) {
    if (entry.path <= cursor || IGNORED.has(entry.path)) continue;
    for await (const paths of toBatches(walk(ctx, entry))) {
      yield { cursor, checked: paths.length, found: await findUntracked(ctx, paths) };
    }
    cursor = entry.path;
    yield { cursor, checked: 0 };
  }
}

type Entry = { readonly path: string; readonly isFolder: boolean };

/** Returns the files and folders of a folder in their order. Links are neither followed nor told. */
async function listEntries({ paths }: Pick<JobCtx, 'paths'>, folder: string): Promise<Entry[]> {
  const entries = await readdir(join(paths.root, folder), { withFileTypes: true }).catch(
    noneIfGone,
  );
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({ path: `${folder}/${entry.name}`, isFolder: entry.isDirectory() }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function noneIfGone(error: unknown): Dirent[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}

async function* walk(ctx: JobCtx, { path, isFolder }: Entry): AsyncGenerator<string> {
  if (!isFolder) return yield path;
  for (const entry of await listEntries(ctx, path)) yield* walk(ctx, entry);
}

async function* toBatches(paths: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function findUntracked(ctx: JobCtx, all: readonly string[]) {
  const strays = await filterUntracked(ctx.db, all);
  const found: { path: string }[] = [];
  for (let from = 0; from < strays.length; from += CLAIM_BATCH) {
    const untracked = await inTransaction(ctx, async ({ db }) => {
      const claimed = await claimUntracked(db, strays.slice(from, from + CLAIM_BATCH));
      await releaseOriginals(db, toHashes(claimed));
      return claimed;
    });
    for (const path of untracked)
      if (await isFile(join(ctx.paths.root, path))) found.push({ path });
  }
  return found;
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => info.isFile(),
    () => false,
  );

/**
 * Returns those of these paths that no row refers to, nor will before the commit. Waits for uploads that have
 * put a file of these names in its place and not committed its row; a file of an item that a job is working
 * on belongs to that job. Rows of originals that it claims are deleted by `releaseOriginals`.
 */
export async function claimUntracked(db: Db, paths: readonly string[]): Promise<string[]> {
  const originals = new Set(await claimOriginals(db, toHashes(paths).toSorted()));
  const others = paths.filter((path) => parseOriginal(path) === undefined);
  const owners = [...new Set(others.flatMap((path) => parseDerivedOwner(path) ?? []))].toSorted();
  await lockSidecars(db, owners);
  await lockAssets(db, owners);
  const busy = await listBusyAssets(db, owners);
  const strays = new Set(await filterUntracked(db, others));
  return paths.filter((path) => {
    const hash = parseOriginal(path);
    if (hash) return originals.has(hash);
    return strays.has(path) && !busy.has(parseDerivedOwner(path) ?? '');
  });
}

export const toHashes = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => parseOriginal(path) ?? []);

const ORIGINAL = /^originals\/([\da-f]{2})\/([\da-f]{2})\/(\1\2[\da-f]{60})$/;

/** Returns the SHA-256 (hex) of the original whose place this path is. */
export const parseOriginal = (path: string): string | undefined => ORIGINAL.exec(path)?.[3];

/** Returns those of these paths that no row refers to. */
export async function filterUntracked(db: Db, paths: readonly string[]): Promise<string[]> {
  const derived = paths.filter((path) => path.startsWith('derived/') && parseDerivedOwner(path));
  const toName = (path: string) => path.slice('derived/'.length);
  const unreferenced = new Set(await filterUnreferenced(db, toHashes(paths)));
  const strays = new Set(await filterUntrackedDerived(db, derived.map(toName)));
  const isNamed = new Set(derived);
  return paths.filter((path) => {
    const hash = parseOriginal(path);
    if (hash) return unreferenced.has(hash);
    return isNamed.has(path) ? strays.has(toName(path)) : true;
  });
}
