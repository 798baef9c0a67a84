import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Deps } from '../core/context.ts';
import type { Db } from '../db/client.ts';

/** One lane = one worker thread (workers/<lane>.ts), so that heavy work cannot starve light work. */
export const LANES = ['background', 'metadata', 'image', 'video', 'inference'] as const;
export type Lane = (typeof LANES)[number];

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
  /** How often it is tried before it is parked as failed. */
  readonly attempts: number;
  /** Higher runs first; 0 unless said otherwise. */
  readonly priority?: number;
  /** Two waiting jobs with the same key are one job. */
  readonly uniqueKey?: (payload: Payload) => string;
  /** Minutes between runs that the schedule starts; the payload is then `{}`. */
  readonly everyMinutes?: number;
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

type Round<Name extends string> = {
  readonly name: Name;
  readonly queue?: QueueName;
  readonly attempts: number;
  readonly everyMinutes: number;
};

/** A job that looks after all there is, again and again: two that wait are one. */
export const defineRound = <const Name extends string>(spec: Round<Name>) =>
  defineJob({
    queue: 'backgroundTask',
    lane: 'background',
    payload: Type.Object({}),
    uniqueKey: () => 'all',
    ...spec,
  });

/** What a handler may use. `signal` ends when the job is cancelled, its lease is lost or we stop. */
export type JobCtx = Deps & {
  readonly signal: AbortSignal;
  /** An error now parks the job for good: the last chance to record what is wrong. */
  readonly isLastAttempt: boolean;
};

/**
 * What the job changes in the database. It runs in the transaction that completes the job, after its
 * lease was checked under lock: exactly once, however often the slow work before it was repeated.
 */
export type Effect = (db: Db) => Promise<void | AfterCommit>;

/** Tidying up that must not happen when the transaction fails. A crash may lose it. */
export type AfterCommit = () => Promise<void>;

export type PayloadOf<J> = J extends { parse: (input: unknown) => infer Payload } ? Payload : never;
export type HandlerOf<J> = (ctx: JobCtx, payload: PayloadOf<J>) => Promise<Effect | void>;
