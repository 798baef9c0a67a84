import type { JobHandler } from '../../jobs/define.ts';
import { tellAdditions } from './additions.domain.ts';
import type { notifyOfAdditions } from './jobs.ts';

export const handleNotifyOfAdditions: JobHandler<typeof notifyOfAdditions> = (
  { now },
  { albumId },
) => Promise.resolve((tx) => tellAdditions(tx, albumId, now()));
