import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import type { AnyJob } from '../../jobs/define.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueueRun, type NewRun, startCounting } from '../../jobs/runs.ts';
import { cleanMemories, generateAllMemories, removeAccounts } from '../../job-registry.ts';
import type { JobCreateDto, ManualJobName } from './schemas.ts';

/** Jobs without a payload by their public names. */
const MANUAL_JOBS: Partial<Record<ManualJobName, AnyJob>> = {
  'memory-cleanup': cleanMemories,
  'memory-create': generateAllMemories,
  'user-cleanup': removeAccounts,
};

/** Starts a job by hand; it runs later. Throws 400 for a name without a job. */
export async function createJob(ctx: Ctx, { name }: JobCreateDto): Promise<void> {
  const job = MANUAL_JOBS[name];
  if (!job) throw badRequest('Invalid job name');
  const requestedBy = requireUser(ctx.session).userId;
  const run: NewRun = { name, queue: job.queue, trigger: 'manual', requestedBy };
  await inTransaction(ctx, async ({ db }) => {
    if (job === generateAllMemories) {
      return startCounting(db, run, generateAllMemories, (runId) => ({ runId }));
    }
    // Safe: `enqueue` checks the payload.
    await enqueueRun(db, run, job, {} as never);
  });
}
