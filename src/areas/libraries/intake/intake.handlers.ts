import type { JobHandler } from '../../../jobs/define.ts';
import type { takeInFiles } from '../jobs.ts';
import { takeIn } from './intake.domain.ts';

export const handleTakeInFiles: JobHandler<typeof takeInFiles> = (ctx, { libraryId, fileIds }) =>
  takeIn(ctx, libraryId, fileIds, ctx.signal);
