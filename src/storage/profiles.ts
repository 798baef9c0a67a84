import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../core/context.ts';
import type { DataPaths } from '../core/paths.ts';
import { syncPath } from '../media/file-placement.ts';
import { putFile, toObject } from './file-objects.ts';
import { type CacheDeps, ensureCopy } from './object-cache.ts';
import { isObjectName } from './object-keys.ts';

// Pictures of accounts: files of their own folder, or objects. The row of the account has the name.

/** Returns where a picture or its copy lies on this machine, if it does. */
export const getProfilePath = (paths: DataPaths, name: string): string =>
  join(isObjectName(name) ? paths.cache : paths.profiles, name);

/** Returns the same path after the object was fetched. Throws StorageUnavailable. */
export async function locateProfile(deps: CacheDeps, name: string): Promise<string> {
  const object = toObject(name);
  if (object) await ensureCopy(deps, object);
  return getProfilePath(deps.paths, name);
}

/** Makes a folder for a picture that is received, on the disk where it will be, and returns its path. */
export async function makeProfileDraft({ profiles }: DataPaths): Promise<string> {
  await mkdir(profiles, { recursive: true });
  return mkdtemp(join(profiles, '.draft-'));
}

/** Stores the picture of an account durably. Returns its name, which no other picture has had. */
export async function storeProfile(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  from: string,
  accountId: string,
): Promise<string> {
  const owner = { store: 'profiles', id: accountId, kind: 'profile', extension: 'webp' } as const;
  const key = await putFile(deps, from, owner);
  if (key !== undefined) return key;
  const folder = deps.paths.profiles;
  const name = `${accountId}-${randomUUID()}.webp`;
  await mkdir(folder, { recursive: true });
  await syncPath(from);
  await rename(from, join(folder, name));
  await syncPath(folder);
  return name;
}
