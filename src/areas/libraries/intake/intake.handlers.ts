import type { JobHandler } from '../../../jobs/define.ts';
import type { findSidecars } from '../../assets/index.ts';
import type { takeInFiles } from '../jobs.ts';
import { refreshSidecars } from './gone-sidecars.domain.ts';
import { takeIn } from './intake.domain.ts';
import { setError } from './intake.store.ts';

export const handleTakeInFiles: JobHandler<typeof takeInFiles> = (ctx, { libraryId, fileIds }) => {
  // The decision about missing files waits for those that have to be read.
  ctx.onFailed((db, error) => setError(db, fileIds, (error as Error).message));
  return takeIn(ctx, libraryId, fileIds, ctx.signal);
};

export const handleFindSidecars: JobHandler<typeof findSidecars> = (ctx, { libraryId, assetIds }) =>
  refreshSidecars(ctx, libraryId, assetIds);
