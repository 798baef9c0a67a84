import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Lane } from '../core/lanes.ts';
import type { OperationRow } from '../db/tables/operations.ts';
import { defineJob, type JobDef } from '../jobs/define.ts';

type Target = { operationId: string };

/** Defines the job that does the work of a kind of operation: one for each operation. */
export const defineOperationJob = <const Name extends string, const L extends Lane>(
  spec: Omit<JobDef<Name, L, Target>, 'parse' | 'uniqueKey'>,
) =>
  defineJob<Name, L, TSchema, Target>({
    ...spec,
    payload: Type.Object({ operationId: Type.String({ format: 'uuid' }) }),
    uniqueKey: ({ operationId }) => operationId,
  });

/** A kind of operation. */
export type OperationKind<Payload, Progress> = {
  readonly name: string;
  readonly job: JobDef<string, Lane, Target>;
  /** The progress of an operation that has done nothing. */
  readonly start: Progress;
  readonly parsePayload: (value: unknown) => Payload;
  readonly parseProgress: (value: unknown) => Progress;
};

export type AnyKind = OperationKind<unknown, unknown>;

/** A row of `operation`, with the data of its kind. */
export type Operation<Payload, Progress> = Omit<OperationRow, 'payload' | 'progress'> & {
  readonly payload: Payload;
  readonly progress: Progress;
};

/** Defines a kind by the schemas of its data, which are checked whenever they are read. */
export function defineOperation<P extends TSchema, G extends TSchema>(spec: {
  readonly name: string;
  readonly job: JobDef<string, Lane, Target>;
  readonly payload: P;
  readonly progress: G;
  readonly start: Static<G>;
}): OperationKind<Static<P>, Static<G>> {
  const { name, job, start } = spec;
  const payload = Compile<TSchema>(spec.payload);
  const progress = Compile<TSchema>(spec.progress);
  return {
    name,
    job,
    start,
    parsePayload: (value) => payload.Parse(value) as Static<P>,
    parseProgress: (value) => progress.Parse(value) as Static<G>,
  };
}
