import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type { Db } from '../../db/client.ts';
import type { ReportType } from '../../db/tables/integrity.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { AnyJob } from '../../jobs/define.ts';
import {
  enqueueInRun,
  enqueueRun,
  finishCounting,
  type NewRun,
  startCounting,
  startRun,
} from '../../jobs/runs.ts';
import { removeAccounts } from '../admin-users/index.ts';
import { startRequeue } from '../assets/index.ts';
import { backUpDatabase } from '../database-backups/index.ts';
import {
  checkChecksums,
  checkMissing,
  checkUntracked,
  deleteReported,
  refreshReport,
} from '../integrity/index.ts';
import { cleanMemories, generateAllMemories } from '../memories/index.ts';
import { cleanUpPeople } from '../people/index.ts';
import { startApply } from '../physical-deduplication/index.ts';
import { cleanUpTags } from '../tags/index.ts';
import { listAccountIds } from '../users/index.ts';
import type { JobCreateDto, ManualJobName } from './schemas.ts';

type StartedBy = Pick<NewRun, 'name' | 'trigger' | 'requestedBy'>;
type Start = (db: Db, started: StartedBy, now: Date) => Promise<void>;

/** Starts a job without a payload. */
const startJob =
  (job: AnyJob): Start =>
  (db, started) =>
    // Safe: `enqueue` checks the payload.
    enqueueRun(db, { ...started, queue: job.queue }, job, {} as never);

/** Starts a job for each account. */
const startByAccount =
  (job: typeof cleanUpPeople | typeof cleanUpTags): Start =>
  async (db, started) => {
    const id = await startRun(db, { ...started, queue: job.queue });
    const payloads = (await listAccountIds(db)).map((ownerId) => ({ ownerId }));
    await enqueueInRun(db, id, job, payloads);
    await finishCounting(db, id);
  };

/** Starts a job for all entries of a report of the integrity checks. */
const startForReport =
  (job: typeof refreshReport | typeof deleteReported, type: ReportType): Start =>
  (db, started) =>
    enqueueRun(db, { ...started, queue: job.queue }, job, { type });

const MANUAL_JOBS: Readonly<Record<ManualJobName, Start>> = {
  'person-cleanup': startByAccount(cleanUpPeople),
  'tag-cleanup': startByAccount(cleanUpTags),
  'user-cleanup': startJob(removeAccounts),
  'memory-cleanup': startJob(cleanMemories),
  'backup-database': (db, started) =>
    enqueueRun(db, { ...started, queue: backUpDatabase.queue }, backUpDatabase, { isManual: true }),
  'integrity-missing-files': startJob(checkMissing),
  'integrity-missing-files-refresh': startForReport(refreshReport, 'missing_file'),
  'integrity-missing-files-delete-all': startForReport(deleteReported, 'missing_file'),
  'integrity-untracked-files': startJob(checkUntracked),
  'integrity-untracked-files-refresh': startForReport(refreshReport, 'untracked_file'),
  'integrity-untracked-files-delete-all': startForReport(deleteReported, 'untracked_file'),
  'integrity-checksum-mismatch': startJob(checkChecksums),
  'integrity-checksum-mismatch-refresh': startForReport(refreshReport, 'checksum_mismatch'),
  'integrity-checksum-mismatch-delete-all': startForReport(deleteReported, 'checksum_mismatch'),
  'physical-deduplication-apply': startApply,
  'memory-create': (db, started) =>
    startCounting(
      db,
      { ...started, queue: generateAllMemories.queue },
      generateAllMemories,
      (runId) => ({ runId }),
    ),
  'video-enrichment-refresh': (db, started) =>
    startRequeue(db, { queue: 'videoMoments', force: true }, started),
  'document-refresh': (db, started) => startRequeue(db, { queue: 'ocr', force: true }, started),
};

/** Starts a job by hand; it runs later. Throws 400 for one that has nothing to do its work with. */
export async function createJob(ctx: Ctx, { name }: JobCreateDto): Promise<void> {
  const requestedBy = requireUser(ctx.session).userId;
  await inTransaction(ctx, ({ db, now }) =>
    MANUAL_JOBS[name](db, { name, trigger: 'manual', requestedBy }, now()),
  );
}
