import type { TestDatabase } from './harness.ts';

/** Lets the jobs that wait after a failure or a crash run now. Takes no lock that a worker waits for. */
export const makeJobsDue = ({ sql }: Pick<TestDatabase, 'sql'>) => sql`
  update job set run_at = now() where id in (
    select id from job where state = 'waiting' and run_at > now() for update skip locked)`;
