import type { SQL } from 'drizzle-orm';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Deps } from '../core/context.ts';
import type { Lane } from '../core/lanes.ts';
import type { Db } from '../db/client.ts';

/** The queues that clients know. Several jobs may belong to one; pausing and progress are by queue. */
export const QUEUE_NAMES = [
  'thumbnailGeneration',
  'metadataExtraction',
  'videoConversion',
  'faceDetection',
  'facialRecognition',
  'smartSearch',
  'duplicateDetection',
  'backgroundTask',
  'storageTemplateMigration',
  'migration',
  'search',
  'sidecar',
  'library',
  'notifications',
  'backupDatabase',
  'ocr',
  'workflow',
  'integrityCheck',
  'editor',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export type JobDef<Name extends string, L extends Lane, Payload> = {
  readonly name: Name;
  readonly queue: QueueName;
  readonly lane: L;
  /** Failed attempts after which it is parked as failed. */
  readonly attempts: number;
  /**
   * After this an attempt is aborted and counts as failed; 10 minutes by default. Handlers that know
   * how much they have to do restart it: see JobCtx.
   */
  readonly timeLimitMs?: number;
  /**
   * Tried again for ever after its attempts, unless its error is a verdict: hours later, then once a day, when a server
   * starts, and when a fault of the machine ends.
   */
  readonly isRetriedLater?: boolean;
  /** Most at once, beside the other jobs of the lane: for what mostly waits for another machine. */
  readonly ownSlots?: number;
  /** Higher runs first; 0 by default. */
  readonly priority?: number;
  /** Seconds from being enqueued to the first run: what is enqueued meanwhile with the same key is one run. */
  readonly delaySeconds?: number;
  /** Two waiting jobs with the same key are one job. */
  readonly uniqueKey?: (payload: Payload) => string;
  /** Minutes between runs that the schedule starts; the payload is then `{}`. */
  readonly everyMinutes?: number;
  /** Condition on which the schedule starts it: without work there is no thread, and nothing is written. */
  readonly hasWork?: SQL;
  /** Checks a payload on its way in and out of the queue. */
  readonly parse: (payload: unknown) => Payload;
};

/** Describes a job without its code, so that the server can enqueue it without loading the code. */
export function defineJob<
  const Name extends string,
  const L extends Lane,
  S extends TSchema,
  // A parameter of its own: comparing Static<S> inside the body costs the type checker dearly.
  Payload = Static<S>,
>(
  spec: Omit<JobDef<Name, L, Payload>, 'parse'> & { readonly payload: S },
): JobDef<Name, L, Payload> {
  const { payload, ...rest } = spec;
  const validator = Compile<TSchema>(payload);
  return { ...rest, parse: (input) => validator.Parse(input) as Payload };
}

type PeriodicJob<Name extends string> = {
  readonly name: Name;
  readonly queue?: QueueName;
  readonly attempts: number;
  readonly everyMinutes: number;
  readonly hasWork?: SQL;
  readonly timeLimitMs?: number;
};

/** Defines a job without a payload that the schedule starts; two waiting ones are one. */
export const definePeriodicJob = <const Name extends string>(spec: PeriodicJob<Name>) =>
  defineJob({
    queue: 'backgroundTask',
    lane: 'background',
    payload: Type.Object({}),
    uniqueKey: () => 'all',
    ...spec,
  });

export const DEFAULT_TIME_LIMIT_MS = 10 * 60_000;

/** The reason of a signal that was aborted because its job took too long. */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
  constructor(limitMs: number) {
    super(`The job exceeded its time limit of ${limitMs / 1000} s`);
  }
}

export type JobCtx = Deps & {
  /** Aborted when the job is cancelled or too slow, when its lease is lost, and when we stop. */
  readonly signal: AbortSignal;
  /** Item of a run that the job is: see `enqueueNext`. */
  readonly itemId?: string | null;
  /**
   * Starts the time limit anew: the handler finished a step that will not be repeated, or knows that
   * the rest takes up to `ms` (by default the limit of its declaration).
   */
  readonly restartTimeLimit: (ms?: number) => void;
  /** An error now parks the job for good: the last chance to do without what fails. */
  readonly isLastAttempt: boolean;
  /**
   * Sets what records the failure of the last attempt, whatever its cause: it runs in the transaction
   * that parks the job, also when the time limit was ignored. Not after a crash of the process.
   */
  readonly onFailed: (record: FailureRecord) => void;
};

/**
 * The change of a job in the database. It runs in the transaction that completes the job, after its
 * lease was checked under lock: exactly once, however often the slow work before it was repeated.
 */
export type Effect = (db: Db) => Promise<void | AfterCommit>;

/** `error` is what the handler threw, or the JobTimeoutError of its signal. */
export type FailureRecord = (db: Db, error: unknown) => Promise<void>;

/** Cleanup that must not happen when the transaction fails. A crash may lose it. */
export type AfterCommit = () => Promise<void>;

/** A job as the queue handles it: with any payload. */
export type AnyJob = Omit<JobDef<string, Lane, never>, 'parse'> & {
  readonly parse: (payload: unknown) => unknown;
};

export type JobPayload<J> = J extends { parse: (input: unknown) => infer Payload }
  ? Payload
  : never;
export type JobHandler<J> = (ctx: JobCtx, payload: JobPayload<J>) => Promise<Effect | void>;

/** One handler for each of these jobs that belongs to the lane: a missing one does not compile. */
export type LaneHandlers<J extends AnyJob, L extends Lane> = {
  readonly [Each in Extract<J, { lane: L }> as Each['name']]: JobHandler<Each>;
};
