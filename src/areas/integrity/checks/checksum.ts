import { relative } from 'node:path';
import { toHex } from '../../../core/hash.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { filterUsedOutsideTrash } from '../../trash/index.ts';
import { findCopy } from '../copies.domain.ts';
import type { OriginalRow } from '../../../storage/originals.store.ts';
import type { Finding, Scan } from '../store.ts';
import { type Pace, recordVerdict, verifyOriginal } from '../verification.domain.ts';
import { listBatches } from './missing.ts';
import { createPace } from './pace.ts';
import type { Step } from './scan.ts';

const BATCH = 100;
/** After this time in ms what was found is saved, and other work of the thread has its turn. */
const STEP_MS = 1000;

/** Reads originals and compares them with their digests. Missing files are for the other check. */
export async function* checkChecksums(ctx: JobCtx, scan: Scan): AsyncGenerator<Step> {
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
