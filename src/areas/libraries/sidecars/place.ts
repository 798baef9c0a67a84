import { syncPath } from '../../../media/file-placement.ts';
import { type BigIntStats, constants } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { guardPath, openFile, withFolder } from '../../../core/guarded-path.ts';
import { getMediaType, toNameKey } from '../../../media/formats.ts';
import { MAX_SIDECAR_BYTES } from '../../../media/xmp.ts';
import { createSidecarFinder } from '../../imports/index.ts';
import { listFileNames } from '../intake/companions.ts';

/** The sidecar cannot be written as things are: the file or its folder is not as it must be. */
export class SidecarRefusedError extends Error {
  override readonly name: string = 'SidecarRefusedError';
}

/** Another program has changed the sidecar meanwhile. */
export class SidecarChangedError extends SidecarRefusedError {
  override readonly name = 'SidecarChangedError';
}

export type ExistingSidecar = {
  readonly bytes: Uint8Array;
  readonly stats: BigIntStats;
};

export type SidecarPlace = {
  readonly path: string;
  /** The file that is at the path now. */
  readonly replaced: ExistingSidecar | undefined;
  /** The sidecar that the new one is made of. */
  readonly base: Uint8Array | undefined;
};

export type FolderNames = (folder: string) => Promise<readonly string[]>;

/** Returns a function that lists the plain files of folders, each once. */
export function createFolderReader(): FolderNames {
  const known = new Map<string, Promise<readonly string[]>>();
  return (folder) => {
    let names = known.get(folder);
    if (!names) known.set(folder, (names = withFolder(folder, listFileNames)));
    return names;
  };
}

/**
 * Returns where the sidecar of a photo or video is written: to the one that it has, else to `name.ext.xmp`. One
 * that another file of the same name shares (`a.xmp` of `a.jpg` and `a.dng`) is not changed, but copied.
 */
export async function findPlace(path: string, readNames: FolderNames): Promise<SidecarPlace> {
  const folder = dirname(path);
  const names = await readNames(folder);
  const own = `${path}.xmp`;
  const found = createSidecarFinder(folder, names)(basename(path));
  const existing = found === undefined ? undefined : await readExisting(found);
  const base = existing && existing.bytes.length > 0 ? existing.bytes : undefined;
  const isShared = toNameKey(found ?? '') !== toNameKey(own) && hasTwin(names, basename(path));
  if (found === undefined || isShared) return { path: own, replaced: undefined, base };
  return { path: found, replaced: existing, base };
}

function hasTwin(names: readonly string[], name: string): boolean {
  const stem = toNameKey(parse(name).name);
  return names.some(
    (other) =>
      other !== name && toNameKey(parse(other).name) === stem && getMediaType(other) !== undefined,
  );
}

async function readExisting(path: string): Promise<ExistingSidecar> {
  const file = await openFile(guardPath(path));
  try {
    const stats = await file.stat({ bigint: true });
    if (stats.size > MAX_SIDECAR_BYTES)
      throw new SidecarRefusedError(`${path} is larger than a sidecar`);
    const bytes = await file.readFile();
    if (!isSame(stats, await file.stat({ bigint: true }))) throw createChangedError(path);
    return { bytes, stats };
  } finally {
    await file.close();
  }
}

/**
 * Writes a sidecar atomically: a crash leaves the old file or the new one. Throws SidecarChangedError if the path
 * no longer has what it had, and as withFolder for a folder behind a link.
 */
export async function writeSidecar(
  { path, replaced }: Pick<SidecarPlace, 'path' | 'replaced'>,
  bytes: Uint8Array,
  mode: number,
): Promise<BigIntStats> {
  return withFolder(dirname(path), async (folder) => {
    const target = join(folder, basename(path));
    // Named after the sidecar: the next try removes a draft that a crash has left.
    const draft = join(folder, `.safelight-${Bun.hash(basename(path)).toString(36)}.tmp`);
    await rm(draft, { force: true });
    try {
      const stats = await writeDraft(draft, bytes, mode);
      const now = await lstat(target, { bigint: true }).catch(requireMissing);
      if (replaced ? !now || !isSame(replaced.stats, now) : now) throw createChangedError(path);
      if (replaced || !(await linkNew(draft, target, path))) await rename(draft, target);
      await syncPath(folder);
      return stats;
    } finally {
      await rm(draft, { force: true });
    }
  });
}

async function writeDraft(path: string, bytes: Uint8Array, mode: number): Promise<BigIntStats> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, mode);
  try {
    await file.writeFile(bytes);
    // Other programs read it, whatever the mask of this process. FAT has no rights.
    await file.chmod(mode).catch(() => {});
    await file.sync();
    return await file.stat({ bigint: true });
  } finally {
    await file.close();
  }
}

/** File systems without hard links. */
const UNLINKABLE = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Unlike a rename it replaces nothing. Returns false where there are no hard links. */
async function linkNew(draft: string, target: string, path: string): Promise<boolean> {
  try {
    await link(draft, target);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw createChangedError(path);
    if (UNLINKABLE.has(code)) return false;
    throw error;
  }
}

const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;

function requireMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const createChangedError = (path: string) =>
  new SidecarChangedError(`${path} was changed meanwhile, or is no plain file`);
