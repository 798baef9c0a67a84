import { relative } from 'node:path';
import { toHex } from '../../../core/hash.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { filterUsedOutsideTrash } from '../../trash/index.ts';
import { findCopy } from '../copies.domain.ts';
import {
  countOriginals,
  findOriginal,
  listOriginals,
  type OriginalRow,
} from '../../../storage/originals.store.ts';
import { type Finding, saveFindings, type Scan } from '../store.ts';
import { findFile, recordVerdict, type Verdict, verifyOriginal } from '../verification.domain.ts';
import { createPace } from './pace.ts';
import type { Step } from './scan.ts';

const BATCH = 1000;
/** Concurrent look-ups: more make a hard disk slower. */
const LOOKUPS = 8;
/** A library that loses more files at once has lost a disk. */
export const MAX_LOST = 100;
const MAX_LOST_SHARE = 0.1;
/** In a small library one file is a large share. */
const MIN_LOST = 5;

/** Looks for originals whose file is not there. */
export async function* checkMissing(ctx: JobCtx, scan: Scan): AsyncGenerator<Step> {
  for await (const { rows, cursor } of listBatches(ctx, scan.cursor, BATCH)) {
    const verdicts = await findFiles(ctx.paths, rows);
    const select = (wanted: Verdict, isKnown?: boolean) =>
      rows.filter(
        (row, index) =>
          verdicts[index] === wanted && (isKnown === undefined || row.isMissing === isKnown),
      );
    for (const row of select('ok', true)) await forgive(ctx, row);
    yield {
      cursor,
      checked: rows.length,
      unreadable: select('unreadable').length,
      found: await toFindings(
        ctx,
        select('missing', true).map(({ sha256 }) => toHex(sha256)),
      ),
      candidates: select('missing', false).map(({ sha256 }) => toHex(sha256)),
    };
  }
}

/** Yields the originals behind the cursor in the order of their digests, with the cursor of the last one. */
export async function* listBatches(
  { db }: Pick<JobCtx, 'db'>,
  cursor: string | null,
  limit: number,
): AsyncGenerator<{ readonly rows: readonly OriginalRow[]; readonly cursor: string }> {
  let after = Buffer.from(cursor ?? '', 'hex');
  for (;;) {
    const rows = await listOriginals(db, { after, inclusive: false, limit });
    const last = rows.at(-1);
    if (!last) return;
    yield { rows, cursor: toHex(last.sha256) };
    after = Buffer.from(last.sha256);
  }
}

async function findFiles(paths: DataPaths, rows: readonly OriginalRow[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const left = rows.entries();
  const work = async () => {
    for (const [index, { sha256 }] of left) {
      verdicts[index] = (await findFile(originalPath(paths, sha256))).verdict;
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS }, work));
  return verdicts;
}

/** A file that was missing or damaged is there: whether it is right, its bytes tell. */
async function forgive(ctx: JobCtx, row: OriginalRow): Promise<void> {
  const verified = await verifyOriginal(ctx.paths, row, createPace(ctx));
  if (verified.verdict === 'ok') await recordVerdict(ctx, row.sha256, verified);
}

/** Returns the findings of these originals: those that only the trash has are marked. */
async function toFindings(
  { db, paths }: Pick<JobCtx, 'db' | 'paths'>,
  hashes: readonly string[],
): Promise<Finding[]> {
  const used = hashes.length > 0 ? await filterUsedOutsideTrash(db, hashes) : new Set<string>();
  const findings: Finding[] = [];
  for (const hash of hashes) {
    const row = await findOriginal(db, Buffer.from(hash, 'hex'));
    const copyPath = row && (await findCopy({ db, paths }, row));
    const path = relative(paths.root, originalPath(paths, hash));
    findings.push({ path, copyPath, isInTrash: !used.has(hash) });
  }
  return findings;
}

/** Throws when so many files have gone at once that it is no verdict about any of them. */
export async function requirePlausible({ db, paths }: JobCtx, scan: Scan): Promise<void> {
  const lost = scan.candidates.length + scan.unreadable;
  if (lost === 0) return;
  const originals = await countOriginals(db);
  const most = Math.min(MAX_LOST, Math.max(MIN_LOST, originals * MAX_LOST_SHARE));
  const isAll = scan.completedAt === null && lost === originals;
  if (lost <= most && !isAll) return;
  throw new Error(
    `At least ${lost} of ${originals} originals cannot be found in ${paths.originals}: is its disk ` +
      `mounted? If they are lost, 'safelight maintenance verify' records them`,
  );
}

/** Records the originals that the scan has not found, unless their files are back. Returns how many are new. */
export async function saveMissing(ctx: JobCtx, scan: Scan): Promise<number> {
  const lost: string[] = [];
  for (const hash of scan.candidates.toSorted()) {
    const isLost = await recordVerdict(ctx, Buffer.from(hash, 'hex'), {
      verdict: 'missing',
      file: undefined,
    });
    if (isLost) lost.push(hash);
  }
  return saveFindings(ctx.db, scan, await toFindings(ctx, lost), ctx.now());
}
