import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import type { fillExifOwners } from '../jobs.ts';
import { fillSome } from './exif-owners.store.ts';

const ROWS_PER_STEP = 1000;

/**
 * Fills rows that were written before the columns were added. In a migration, 1,000,000 rows take six minutes, in which nobody
 * else changes any of them.
 */
export const handleFillExifOwners: JobHandler<typeof fillExifOwners> = (ctx) =>
  runThrottled(ctx, () => fillSome(ctx.db, ROWS_PER_STEP));
