import type { JobHandler } from '../../../jobs/define.ts';
import type { exportFilm } from './jobs.ts';
import { executeRun, RunFailed } from './run.domain.ts';

export const handleExportFilm: JobHandler<typeof exportFilm> = (ctx, { exportId }) =>
  executeRun(ctx, exportId, async () => {
    throw new RunFailed('Films cannot be made yet');
  });
