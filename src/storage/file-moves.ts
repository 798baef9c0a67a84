import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type DataPaths, derivedName } from '../core/paths.ts';
import { syncPath } from '../media/file-placement.ts';
import { quarantineFile } from './removal.ts';
import { toObject, type ObjectOwner } from './stored-file.ts';
import type { NamedFile } from './files.store.ts';
import { type CopyDeps, leaseCopy } from './copies.ts';

// Files other than originals on their way between the data folder and the object store.

/** Where `safelight storage move` moves files to. */
export type MoveTarget = 's3' | 'files';

/** The name of the pool of connections of a move, before its target: so servers see that it runs. */
export const MOVE_POOL = 'storage move to ';

/** Returns where a file of the data folder lies, and what its object will be. */
export function getFilePlace(
  paths: DataPaths,
  { owner, id, kind, name }: Pick<NamedFile, 'owner' | 'id' | 'kind' | 'name'>,
): { readonly path: string; readonly target: ObjectOwner } {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  if (owner === 'account') {
    const target = { store: 'profiles', id, kind: 'profile', extension } as const;
    return { path: join(paths.profiles, name), target };
  }
  if (owner === 'person') {
    const target = { store: 'derived', id, kind: 'person', extension: 'webp' } as const;
    return { path: join(paths.derived, derivedName(id, 'person', 'webp')), target };
  }
  const [, assetId = id, fileKind = kind] = DERIVED_NAME.exec(basename(name)) ?? [];
  const target = { store: 'derived', id: assetId, kind: fileKind, extension } as const;
  return { path: join(paths.derived, name), target };
}

/** '<asset>-<kind>.<extension>'. */
const DERIVED_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-([\w-]+)\.\w+$/;

/** Deletes a file whose object is stored; what was uploaded goes to the quarantine. */
export async function deleteMovedFile(paths: DataPaths, file: NamedFile): Promise<void> {
  const { path } = getFilePlace(paths, file);
  if (file.owner !== 'account' && file.kind !== 'sidecar') return rm(path, { force: true });
  await quarantineFile(paths, path, `${basename(path)}.moved`);
}

/** Returns a durable file with the bytes of an object, which is deleted unless it is placed; undefined without them. */
export async function copyObject(deps: CopyDeps, name: string) {
  const object = toObject(name);
  const lease = object && (await leaseCopy(deps, object));
  if (!lease) return undefined;
  return {
    async place(path: string): Promise<void> {
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      // Another file system, or one without hard links.
      await link(lease.path, path).catch(() => copyFile(lease.path, path));
      await syncPath(path);
      await syncPath(dirname(path));
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}
