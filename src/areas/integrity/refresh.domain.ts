import { basename } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { originalPath } from '../../storage/stored-file.ts';
import type { JobCtx } from '../../jobs/define.ts';
import { createPace } from './checks/pace.ts';
import { filterUntracked } from './checks/untracked.ts';
import { findEntryFile } from './entry-file.ts';
import { findOriginal } from '../../storage/originals.store.ts';
import type { Report } from './store.ts';
import {
  findFile,
  type Pace,
  recordVerdict,
  type Verified,
  verifyOriginal,
} from './verification.domain.ts';

/** Returns whether an entry of the report no longer holds, and records what has become of its original. */
export async function isSolved(ctx: JobCtx, entry: Report): Promise<boolean> {
  if (entry.type === 'untracked_file') {
    const isThere = (await findEntryFile(ctx.paths, entry.path)) !== undefined;
    return !isThere || (await filterUntracked(ctx.db, [entry.path])).length === 0;
  }
  const hash = basename(entry.path);
  const verified = await verifyEntry(ctx, entry, createPace(ctx));
  if (!verified || verified.verdict === 'unreadable') return !verified;
  await recordVerdict(ctx, Buffer.from(hash, 'hex'), verified);
  return verified.verdict !== FAULTS[entry.type];
}

export const FAULTS = { missing_file: 'missing', checksum_mismatch: 'damaged' } as const;
export type Fault = (typeof FAULTS)[keyof typeof FAULTS];

/** Looks at the file of an entry; undefined when its original is gone. */
export async function verifyEntry(
  { db, paths }: Pick<Deps, 'db' | 'paths'>,
  { type, path }: Report,
  pace?: Pace,
): Promise<Verified | undefined> {
  const row = await findOriginal(db, Buffer.from(basename(path), 'hex'));
  if (!row) return undefined;
  const found = await findFile(originalPath(paths, row.sha256));
  if (type === 'missing_file' && found.verdict !== 'ok') return found;
  return verifyOriginal(paths, row, pace);
}
