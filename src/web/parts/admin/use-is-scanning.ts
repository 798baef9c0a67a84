import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate } from '../../base/query-client.ts';
import { keys } from '../../data/query-keys.ts';
import { jobsQuery } from '../../data/admin/queries.ts';

/** Tells whether a scan waits, runs or reads files; what it has changed is fetched when a job ends. */
export function useIsScanning(): boolean {
  const { data } = useQuery(jobsQuery());
  const { active = 0, waiting = 0, delayed = 0, completed } = data?.library.jobCounts ?? {};
  const open = active + waiting + delayed;
  useEffect(() => {
    // A short scan may begin and end between two looks at the queue.
    if (open === 0) void invalidate([keys.libraries]);
  }, [open, completed]);
  return open > 0;
}
