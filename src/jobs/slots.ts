import { requireValue } from '../core/required.ts';
import type { AnyJob } from './define.ts';
import type { QueueLimits } from './limits.ts';

export type Slots = {
  /** Number of jobs that may run at once. */
  countAll(): number;
  countTaken(): number;
  /** Whether there is a slot left for a job. */
  isOpen(name: string): boolean;
  take(name: string): void;
  free(name: string): void;
  setLimits(limits: QueueLimits): void;
};

/** Counts the running jobs of a lane, of each queue up to its limit, and of jobs with slots of their own. */
export function createSlots(jobs: readonly AnyJob[], concurrency: number): Slots {
  const queues = new Map(jobs.map(({ name, queue }) => [name, queue]));
  const own = new Map(jobs.flatMap(({ name, ownSlots }) => (ownSlots ? [[name, ownSlots]] : [])));
  const running = new Map<string, number>();
  let limits: QueueLimits = {};
  const add = (name: string, jobs: number) => running.set(name, (running.get(name) ?? 0) + jobs);
  const count = (includes: (name: string) => boolean): number =>
    running.entries().reduce((sum, [name, jobs]) => sum + (includes(name) ? jobs : 0), 0);
  const countShared = () => Math.max(concurrency, ...Object.values(limits));
  return {
    countAll: () => own.values().reduce((sum, slots) => sum + slots, countShared()),
    countTaken: () => count(() => true),
    isOpen(name) {
      const ownSlots = own.get(name);
      if (ownSlots !== undefined) return (running.get(name) ?? 0) < ownSlots;
      const queue = requireValue(queues.get(name), 'queue of a job');
      const isOfQueue = (other: string) => !own.has(other) && queues.get(other) === queue;
      return (
        count((other) => !own.has(other)) < countShared() &&
        count(isOfQueue) < (limits[queue] ?? concurrency)
      );
    },
    take: (name) => void add(name, 1),
    free: (name) => void add(name, -1),
    setLimits(changed) {
      limits = changed;
    },
  };
}
