import type { Lane } from '../../src/core/lanes.ts';
import { type HandlersByLane, type Job, jobs } from '../../src/job-registry.ts';
import { type LaneOptions, type LaneRun, runLane } from '../../src/jobs/run.ts';

type RunOptions = Omit<LaneOptions<Job, Lane>, 'lane' | 'jobs' | 'handlers'>;

/** The code of a lane. */
export type LaneCode = {
  readonly run: (options: RunOptions) => LaneRun;
  /** Functions that end what the handlers keep open. Lanes of a thread may share them; each is called once. */
  readonly closers: readonly Closer[];
};

export type Closer = () => Promise<void>;

export const createLane = <L extends Lane>(
  lane: L,
  handlers: HandlersByLane<L>,
  closers: readonly Closer[],
): LaneCode => ({
  run: (options) => runLane({ ...options, lane, jobs, handlers }),
  closers,
});
