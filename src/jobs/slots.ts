import type { AnyJob } from './define.ts';
import type { QueueLimits } from './limits.ts';

export type Slots = {
  /** Number of jobs that may run at once. */
  countAll(): number;
  countTaken(): number;
  /** Whether the queue of a job has a slot left. */
  isOpen(name: string): boolean;
  take(name: string): void;
  free(name: string): void;
  setLimits(limits: QueueLimits): void;
};

/** Counts the running jobs of a lane, of each queue up to its limit. */
export function createSlots(jobs: readonly AnyJob[], concurrency: number): Slots {
  const queues = new Map(jobs.map(({ name, queue }) => [name, queue]));
  const taken = new Map<string, number>();
  let limits: QueueLimits = {};
  const add = (name: string, jobs: number) => {
    const queue = queues.get(name)!;
    taken.set(queue, (taken.get(queue) ?? 0) + jobs);
  };
  return {
    countAll: () => Math.max(concurrency, ...Object.values(limits)),
    countTaken: () => taken.values().reduce((sum, jobs) => sum + jobs, 0),
    isOpen(name) {
      const queue = queues.get(name)!;
      return (taken.get(queue) ?? 0) < (limits[queue] ?? concurrency);
    },
    take: (name) => add(name, 1),
    free: (name) => add(name, -1),
    setLimits(changed) {
      limits = changed;
    },
  };
}
