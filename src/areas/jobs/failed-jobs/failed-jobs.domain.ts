import type { Ctx } from '../../../core/context.ts';
import type { QueueName } from '../../../jobs/define.ts';
import { toInstant } from '../../assets/index.ts';
import { listFileNames } from '../runs/runs.store.ts';
import type { FailedJobPage, FailedJobsFilter } from './failed-jobs.schemas.ts';
import { listFailedJobs as listRows } from './failed-jobs.store.ts';

/** Returns the failed jobs of a queue with their errors, newest first. Names only assets that the caller may see. */
export async function listFailedJobs(
  { db, session }: Ctx,
  queue: QueueName,
  { cursor, size }: FailedJobsFilter,
): Promise<FailedJobPage> {
  const rows = await listRows(db, queue, { cursor, limit: size + 1 });
  const page = rows.slice(0, size);
  const assetIds = page.flatMap(({ assetId }) => assetId ?? []);
  const names = await listFileNames(db, session, assetIds);
  return {
    items: page.map(({ failedAt, ...job }) => ({
      ...job,
      queue,
      failedAt: failedAt === null ? null : toInstant(failedAt),
      label: names.get(job.assetId ?? '') ?? null,
    })),
    nextCursor: rows.length > size ? (page.at(-1)?.id ?? null) : null,
  };
}
