import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import type { AnyJob } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { cleanMemories, generateAllMemories, removeAccounts } from '../../job-registry.ts';
import type { JobCreateDto, ManualJobName } from './schemas.ts';

/** Jobs without a payload by their public names. */
const MANUAL_JOBS: Partial<Record<ManualJobName, AnyJob>> = {
  'memory-cleanup': cleanMemories,
  'memory-create': generateAllMemories,
  'user-cleanup': removeAccounts,
};

/** Starts a job by hand; it runs later. Throws 400 for a name without a job. */
export async function createJob({ db }: Ctx, { name }: JobCreateDto): Promise<void> {
  const job = MANUAL_JOBS[name];
  if (!job) throw badRequest('Invalid job name');
  // Safe: `enqueue` checks the payload.
  await enqueue(db, job, {} as never);
}
