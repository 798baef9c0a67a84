import { lstat } from 'node:fs/promises';
import type { Deps } from '../../core/context.ts';
import { leadsNowhere } from '../../core/disk-errors.ts';
import { statFile } from '../../core/guarded-path.ts';
import type { DataPaths } from '../../core/paths.ts';
import { toHex } from '../../core/hash.ts';
import type { CopyRow } from '../../db/tables/physical-deduplication.ts';
import { originalFile } from '../../storage/index.ts';
import { findFile, type Verified, verifyFile } from '../integrity/index.ts';
import { exists, getQuarantinePath } from './former-file.ts';
import { type Candidate, listCandidates, type RecordedFile } from './review.store.ts';

/** Called after each part of a file that is read. */
export type Pace = (bytes: number) => Promise<void>;

export type Inspection = {
  readonly exists: boolean;
  readonly sizeMatches: boolean;
  readonly checksumMatches: boolean;
  /** The state of the file that was read; undefined: it could not be. */
  readonly file: Verified['file'];
};

const NO_FILE: Inspection = {
  exists: false,
  sizeMatches: false,
  checksumMatches: false,
  file: undefined,
};

type Content = Pick<CopyRow, 'path' | 'sha256' | 'size'>;

/** Returns the path of a file of a plan, guarded if it is in an external library. */
export const getFilePath = (paths: DataPaths, { path, sha256, size }: Content): string =>
  originalFile(paths, { path, sha256: toHex(sha256), size, objectKey: null }).path;

/** Returns the same path as people see it. */
export const getPath = (paths: DataPaths, content: Content): string =>
  content.path ?? getFilePath(paths, content);

/** Reads a file of a plan where it belongs. One behind a link has no content that we know of. */
export async function inspectFile(
  paths: DataPaths,
  copy: Content,
  pace?: Pace,
): Promise<Inspection> {
  const found = await inspect(getFilePath(paths, copy), copy, pace);
  if (found.exists || copy.path === null) return found;
  return { ...NO_FILE, exists: await exists(copy.path) };
}

export type FormerInspection = Inspection & { readonly isQuarantined: boolean };

/** Reads the former file of a copy: where it was, or else in the quarantine. */
export async function inspectFormerFile(
  paths: DataPaths,
  copy: Content & Pick<CopyRow, 'id'>,
  pace?: Pace,
): Promise<FormerInspection> {
  const found = await inspectFile(paths, copy, pace);
  if (found.exists) return { ...found, isQuarantined: false };
  const quarantined = await inspectQuarantined(paths, copy, pace);
  return { ...quarantined, isQuarantined: quarantined.exists };
}

export const inspectQuarantined = (
  paths: DataPaths,
  copy: Content & Pick<CopyRow, 'id'>,
  pace?: Pace,
): Promise<Inspection> => inspect(getQuarantinePath(paths, copy.id), copy, pace);

async function inspect(
  path: string,
  { sha256, size }: Content,
  pace: Pace | undefined,
): Promise<Inspection> {
  const info = await statFile(path, lstat).catch(() => undefined);
  if (!info) return NO_FILE;
  const { verdict, file } = await verifyFile(path, { sha256, size }, pace);
  if (verdict === 'missing') return NO_FILE;
  return {
    exists: true,
    sizeMatches: info.isFile() && info.size === size,
    checksumMatches: verdict === 'ok',
    file,
  };
}

/** A file that was put back has its time to the millisecond; and another number in the file system. */
const ROUNDING_US = 1000;

/** Whether a file on the disk is the one that was recorded. Throws where the disk cannot tell. */
export async function isAsRecorded(paths: DataPaths, recorded: RecordedFile): Promise<boolean> {
  try {
    const info = await statFile(getFilePath(paths, recorded), lstat);
    const { modifiedUs } = recorded;
    return (
      info.isFile() &&
      info.size === recorded.size &&
      (modifiedUs === null || Math.abs(info.mtimeMs * 1000 - modifiedUs) <= ROUNDING_US)
    );
  } catch (error) {
    if (leadsNowhere(error)) return false;
    throw error;
  }
}

const LOOKED_AT_TOGETHER = 64;
const PAGE_SIZE = 1_000;

/**
 * Returns the ids of files with copies that are not, or whose file in our store is not, as they were recorded: a review
 * would refuse them until a scan has read them again.
 */
export async function listStaleFiles(
  { db, paths }: Pick<Deps, 'db' | 'paths'>,
  onStep: () => void,
): Promise<number[]> {
  const stale: number[] = [];
  for (let after = 0; ;) {
    onStep();
    const page = await listCandidates(db, { after, limit: PAGE_SIZE });
    for (let at = 0; at < page.length; at += LOOKED_AT_TOGETHER) {
      const part = page.slice(at, at + LOOKED_AT_TOGETHER);
      const found = await Promise.all(part.map((file) => isCandidateAsRecorded(paths, file)));
      stale.push(...part.filter((_, index) => !found[index]).map(({ id }) => id));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return stale;
    after = last.id;
  }
}

/** A file that the disk cannot tell of is no candidate today. */
async function isCandidateAsRecorded(paths: DataPaths, file: Candidate): Promise<boolean> {
  try {
    const stored = { ...file, path: null, modifiedUs: null };
    return (
      (await isAsRecorded(paths, file)) && (!file.isStored || (await isAsRecorded(paths, stored)))
    );
  } catch {
    return false;
  }
}

/** Whether a file is as it was when it was read. */
export async function isUnchanged(
  paths: DataPaths,
  copy: Content,
  { file }: Inspection,
): Promise<boolean> {
  return file !== undefined && (await findFile(getFilePath(paths, copy))).file === file;
}
