import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../../db/client.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import {
  filterUnreferenced,
  filterUntrackedDerived,
  parseDerivedOwner,
} from '../../trash/index.ts';
import { MARKER, STORES } from '../../../storage/stores.ts';
import type { Scan } from '../store.ts';
import type { Step } from './scan.ts';

const BATCH = 1000;
/** Younger files may be about to be recorded. */
const SAFE_AGE_MS = 24 * 60 * 60 * 1000;
/** Folders with files that rows refer to, in the data folder. */
const TREES = ['derived', 'originals'] as const;
/** Has its own rules. */
const IGNORED = new Set(['derived/scratch', ...STORES.map((store) => `${store}/${MARKER}`)]);

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

async function findUntracked({ db, paths, now }: JobCtx, all: readonly string[]) {
  const untracked = await filterUntracked(db, all);
  const isSafe = await Promise.all(untracked.map((path) => isOld(join(paths.root, path), now())));
  return untracked.filter((_, index) => isSafe[index]).map((path) => ({ path }));
}

/** Whether nobody has written to the file for a day, or put it there. */
export async function isOld(path: string, now: Date): Promise<boolean> {
  const info = await lstat(path).catch(() => undefined);
  return (
    info?.isFile() === true && now.getTime() - Math.max(info.mtimeMs, info.ctimeMs) > SAFE_AGE_MS
  );
}

const ORIGINAL = /^originals\/([\da-f]{2})\/([\da-f]{2})\/(\1\2[\da-f]{60})$/;

/** Returns the SHA-256 (hex) of the original whose place this path is. */
export const parseOriginal = (path: string): string | undefined => ORIGINAL.exec(path)?.[3];

/** Returns those of these paths that no row refers to. */
export async function filterUntracked(db: Db, paths: readonly string[]): Promise<string[]> {
  const hashes = paths.flatMap((path) => parseOriginal(path) ?? []);
  const derived = paths.filter((path) => path.startsWith('derived/') && parseDerivedOwner(path));
  const toName = (path: string) => path.slice('derived/'.length);
  const unreferenced = new Set(await filterUnreferenced(db, hashes));
  const strays = new Set(await filterUntrackedDerived(db, derived.map(toName)));
  const isNamed = new Set(derived);
  return paths.filter((path) => {
    const hash = parseOriginal(path);
    if (hash) return unreferenced.has(hash);
    return isNamed.has(path) ? strays.has(toName(path)) : true;
  });
}
