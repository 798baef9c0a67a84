import type { JobHandler } from '../../jobs/define.ts';
import { notifyMembersOfAdditions } from './additions.domain.ts';
import type { notifyOfAdditions } from './jobs.ts';

export const handleNotifyOfAdditions: JobHandler<typeof notifyOfAdditions> = (
  { now },
  { albumId },
) => Promise.resolve((tx) => notifyMembersOfAdditions(tx, albumId, now()));
