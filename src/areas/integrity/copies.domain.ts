import { isAbsolute, join, relative } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { findGuardedPath, guardPath } from '../../core/guarded-path.ts';
import { toHex } from '../../core/hash.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { getQuarantinePath } from '../../storage/removal.ts';
import { readConfig } from '../system-config/index.ts';
import { listExternalCopies, type OriginalRow } from '../../storage/originals.store.ts';
import { type Pace, verifyFile } from './verification.domain.ts';

type Original = Pick<OriginalRow, 'sha256' | 'size'>;

/** Returns the path, as people see it, of what findCopyFile finds: relative to the data folder if it is there. */
export async function findCopy(
  deps: Pick<Deps, 'db' | 'paths'>,
  original: Original,
  pace?: Pace,
): Promise<string | undefined> {
  const found = await findCopyFile(deps, original, pace);
  if (found === undefined) return undefined;
  const path = findGuardedPath(found) ?? found;
  const inData = relative(deps.paths.root, path);
  return inData.startsWith('..') || isAbsolute(inData) ? path : inData;
}

/**
 * Returns the path of another file with the bytes of an original: in the quarantine, in an external library of
 * any account (guarded), or in a backup of the data folder or its originals.
 */
export async function findCopyFile(
  deps: Pick<Deps, 'db' | 'paths'>,
  original: Original,
  pace?: Pace,
): Promise<string | undefined> {
  for (const path of await listCandidates(deps, original)) {
    if ((await verifyFile(path, original, pace)).verdict === 'ok') return path;
  }
  return undefined;
}

async function listCandidates(
  { db, paths }: Pick<Deps, 'db' | 'paths'>,
  { sha256 }: Original,
): Promise<string[]> {
  const { backupFolders } = (await readConfig(db, 'integrity')).integrity;
  const original = originalPath(paths, sha256);
  return [
    getQuarantinePath(paths, toHex(sha256)),
    ...(await listExternalCopies(db, sha256)).map(guardPath),
    ...backupFolders.flatMap((folder) => [
      join(folder, relative(paths.root, original)),
      join(folder, relative(paths.originals, original)),
    ]),
  ];
}
