import type { Effect, JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueueNext } from '../../../jobs/runs.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import type { ReportType } from '../../../db/tables/integrity.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notifyAdmins } from '../../notifications/index.ts';
import { reportIntegrity } from '../../server/index.ts';
import { readConfig } from '../../system-config/index.ts';
import * as jobs from '../jobs.ts';
import { requireStores } from '../../../storage/index.ts';
import { countOriginals, type OriginalRow } from '../../../storage/originals.store.ts';
import * as store from '../store.ts';
import type { Finding, Scan } from '../store.ts';
import { checkMissing, MAX_LOST, requirePlausible, saveMissing, listBatches } from './missing.ts';
import type { Check, Step } from './scan.ts';
import { checkUntracked } from './untracked.ts';
import { relative } from 'node:path';
import { toHex } from '../../../core/hash.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { filterUsedOutsideTrash } from '../../trash/index.ts';
import { findCopy } from '../copies.domain.ts';
import { type Pace, recordVerdict, verifyOriginal } from '../verification.domain.ts';
import { createPace } from './pace.ts';

/** Time in ms after which a job continues as another one. */
const SLICE_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

type CheckJob = typeof jobs.checkMissing | typeof jobs.checkUntracked | typeof jobs.checkChecksums;
type Run = jobs.Continuation;

/**
 * Goes on with the scan in progress, until it has seen all files, or the run has used up its limits. What it
 * finds and how far it has come are saved together, so that a killed process loses a second of work.
 */
const handleCheck =
  (job: CheckJob, type: ReportType, check: Check): JobHandler<CheckJob> =>
  async (ctx, { continuation }) => {
    await requireStores(ctx);
    const run = continuation ?? { startedAt: ctx.now().toISOString(), checked: 0, found: 0 };
    const isOverLimit = await createLimit(ctx, type);
    const slice = await runSlice(ctx, check, { scan: await openScan(ctx, type), run, isOverLimit });
    if (slice.isDone) return completeScan(ctx, slice);
    if (isOverLimit(slice.run)) return (tx) => reportFindings(ctx, tx, slice);
    return (tx) => enqueueNext(tx, ctx.itemId, job, { continuation: slice.run });
  };

export const handleCheckMissing = handleCheck(jobs.checkMissing, 'missing_file', checkMissing);
export const handleCheckUntracked = handleCheck(
  jobs.checkUntracked,
  'untracked_file',
  checkUntracked,
);
export const handleCheckChecksums = handleCheck(
  jobs.checkChecksums,
  'checksum_mismatch',
  checkChecksums,
);

/** A scan of names that was interrupted long ago says nothing about today; reading all files takes nights. */
async function openScan({ db, now }: JobCtx, type: ReportType): Promise<store.Scan> {
  const row = await store.getCheck(db, type);
  const isRecent =
    type === 'checksum_mismatch' || now().getTime() - (row.startedAt?.getTime() ?? 0) < DAY_MS;
  return row.scanId && isRecent ? (row as store.Scan) : store.startScan(db, type, now());
}

/** Returns whether a run has used up what the configuration gives it. */
async function createLimit(ctx: JobCtx, type: ReportType): Promise<(run: Run) => boolean> {
  if (type !== 'checksum_mismatch') return () => false;
  const { checksumFiles } = (await readConfig(ctx.db, 'integrityChecks')).integrityChecks;
  const most = (await countOriginals(ctx.db)) * checksumFiles.percentageLimit;
  return ({ startedAt, checked }) =>
    checked > most || ctx.now().getTime() - Date.parse(startedAt) >= checksumFiles.timeLimit;
}

type Slice = { readonly scan: store.Scan; readonly run: Run };
type SliceLimits = Slice & { readonly isOverLimit: (run: Run) => boolean };

async function runSlice(
  ctx: JobCtx,
  check: Check,
  { scan: from, run: before, isOverLimit }: SliceLimits,
): Promise<Slice & { readonly isDone: boolean }> {
  let [scan, run, isDone] = [from, before, false];
  const steps = check(ctx, scan);
  const until = performance.now() + SLICE_MS;
  await runThrottled(ctx, async () => {
    const { done, value: step } = await steps.next();
    isDone = done === true;
    if (!step) return false;
    const hasAdvanced = step.cursor !== scan.cursor;
    const saved = await saveStep(ctx, scan, step);
    scan = saved.scan;
    run = { ...run, checked: run.checked + step.checked, found: run.found + saved.found };
    return !hasAdvanced || (performance.now() < until && !isOverLimit(run));
  });
  await steps.return(undefined);
  return { scan, run, isDone };
}

/** Saves what a step has found. Returns how many of the findings are new. */
async function saveStep(ctx: JobCtx, scan: store.Scan, step: Step) {
  // The disk may have gone while the step looked for its files.
  await requireStores(ctx);
  const next: store.Scan = {
    ...scan,
    cursor: step.cursor,
    checked: scan.checked + step.checked,
    unreadable: scan.unreadable + (step.unreadable ?? 0),
    candidates: [...scan.candidates, ...(step.candidates ?? [])],
  };
  if (next.candidates.length > MAX_LOST) await refuse(ctx, next);
  const found = await inTransaction(ctx, async ({ db }) => {
    await store.saveProgress(db, next);
    await store.deleteSolved(db, scan.type, step.solved ?? []);
    return store.saveFindings(db, scan, step.found ?? [], ctx.now());
  });
  return { scan: next, found };
}

/** Ends a scan that does not say anything about single files. */
async function refuse(ctx: JobCtx, scan: store.Scan): Promise<void> {
  await requirePlausible(ctx, scan).catch(async (error: unknown) => {
    await store.abandonScan(ctx.db, scan.type);
    throw error;
  });
}

async function completeScan(ctx: JobCtx, { scan, run }: Slice): Promise<Effect> {
  const isMissing = scan.type === 'missing_file';
  if (isMissing) await refuse(ctx, scan);
  await requireStores(ctx);
  return async (tx) => {
    const found = isMissing ? await saveMissing({ ...ctx, db: tx }, scan) : 0;
    await store.completeScan(tx, scan, ctx.now());
    await reportFindings(ctx, tx, { scan, run: { ...run, found: run.found + found } });
  };
}

/** Tells administrators of what a run has found that was not known before. */
async function reportFindings(
  ctx: JobCtx,
  db: JobCtx['db'],
  { scan, run: { found } }: Slice,
): Promise<void> {
  if (scan.type !== 'untracked_file') {
    return reportIntegrity(db, { damaged: found, unreadable: scan.unreadable }, ctx.now());
  }
  if (found === 0) return;
  const event = {
    kind: 'integrity',
    title: 'Untracked files',
    description: `${found} files in the data folder belong to no photo`,
    data: { untracked: found },
    key: 'integrity-untracked',
  } as const;
  await notifyAdmins(db, event, ctx.now());
}

const BATCH = 100;
/** After this time in ms what was found is saved, and other work of the thread has its turn. */
const STEP_MS = 1000;

/** Reads originals and compares them with their digests. Missing files are for the other check. */
async function* checkChecksums(ctx: JobCtx, scan: Scan): AsyncGenerator<Step> {
  const pace = createPace(ctx);
  let step = createStep();
  for await (const { rows } of listBatches(ctx, scan.cursor, BATCH)) {
    for (const row of rows) {
      step.add(row, await checkOriginal(ctx, row, pace));
      if (performance.now() < step.until) continue;
      yield step.value;
      step = createStep();
    }
  }
  if (step.value.checked > 0) yield step.value;
}

type Outcome = {
  readonly isUnreadable: boolean;
  readonly path: string;
  /** Undefined: it has no fault. */
  readonly finding?: Finding | undefined;
};

async function checkOriginal(ctx: JobCtx, row: OriginalRow, pace: Pace): Promise<Outcome> {
  const { db, paths } = ctx;
  const verified = await verifyOriginal(paths, row, pace);
  const { verdict } = verified;
  const path = relative(paths.root, originalPath(paths, row.sha256));
  const isNews = verdict === 'damaged' || (verdict === 'ok' && row.isMissing);
  const isRecorded = isNews && (await recordVerdict(ctx, row.sha256, verified));
  const hash = toHex(row.sha256);
  const isUnreadable = verdict === 'unreadable';
  if (verdict !== 'damaged' || !isRecorded) return { path, isUnreadable };
  const isInTrash = !(await filterUsedOutsideTrash(db, [hash])).has(hash);
  const copyPath = await findCopy(ctx, row, pace);
  return { path, isUnreadable, finding: { path, copyPath, isInTrash } };
}

function createStep() {
  const value = {
    cursor: '',
    checked: 0,
    unreadable: 0,
    found: [] as Finding[],
    solved: [] as string[],
  };
  return {
    value,
    until: performance.now() + STEP_MS,
    add({ sha256 }: OriginalRow, { path, finding, isUnreadable }: Outcome) {
      value.cursor = toHex(sha256);
      value.checked += 1;
      if (isUnreadable) value.unreadable += 1;
      else if (finding) value.found.push(finding);
      else value.solved.push(path);
    },
  };
}
