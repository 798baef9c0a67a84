import type { Sql } from 'postgres';
import type { Log } from '../core/log.ts';
import { type ClaimedJob, confirmClaims } from './claims.ts';

export type LeaseOptions = {
  readonly sql: Sql;
  readonly log: Log;
  readonly worker: string;
  readonly leaseMs: number;
  /** How often a held job is checked for being cancelled. */
  readonly checkMs: number;
};

export type Leases = {
  add(jobs: readonly ClaimedJob[]): void;
  readonly signalOf: (id: string) => AbortSignal | undefined;
  /** The job is settled or given back. */
  remove(id: string): void;
  count(): number;
  abortAll(why: string): void;
  close(): void;
};

/** Renews the leases of the jobs that a worker holds, and aborts those that are no longer its own. */
export function keepLeases({ sql, log, worker, leaseMs, checkMs }: LeaseOptions): Leases {
  const held = new Map<string, AbortController>();
  let timer: Timer | undefined;
  let renewedAt = 0;
  let isChecking = false;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const now = performance.now();
    const isDue = now - renewedAt > leaseMs / 3;
    const ids = [...held.keys()];
    try {
      const ours = await confirmClaims(sql, worker, ids, isDue ? leaseMs : undefined);
      if (isDue) renewedAt = now;
      for (const id of ids) if (!ours.has(id)) abort(id, 'The job was cancelled');
    } catch (error) {
      log.warn('leases cannot be renewed', { error });
      if (now - renewedAt > leaseMs) for (const id of ids) abort(id, 'The lease was lost');
    } finally {
      isChecking = false;
    }
  }

  const abort = (id: string, why: string) => held.get(id)?.abort(new Error(why));
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    add(jobs) {
      // The claims are fresh: renewing for the others too early is not needed.
      if (held.size === 0) renewedAt = performance.now();
      for (const { id } of jobs) held.set(id, new AbortController());
      if (held.size > 0) timer ??= setInterval(() => void check(), checkMs);
    },
    signalOf: (id) => held.get(id)?.signal,
    remove(id) {
      held.delete(id);
      if (held.size === 0) rest();
    },
    count: () => held.size,
    abortAll(why) {
      for (const id of held.keys()) abort(id, why);
    },
    close: rest,
  };
}
