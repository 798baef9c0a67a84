import { type Static, Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

// Each works for some seconds, and continues as another item of its run.

const Count = Type.Integer({ minimum: 0 });
/** Progress of a run; left out at its start. */
const Continuation = Type.Object({
  startedAt: Type.String({ format: 'date-time' }),
  /** Files. */
  checked: Count,
  /** Files with a fault that were not known before. */
  found: Count,
});
export type Continuation = Static<typeof Continuation>;

const defineCheck = <const Name extends string>(name: Name) =>
  defineJob({
    name,
    queue: 'integrityCheck',
    lane: 'background',
    ownSlots: 1,
    payload: Type.Object({ continuation: Type.Optional(Continuation) }),
    attempts: 2,
    uniqueKey: () => 'all',
  });

/** Looks for originals whose file is not there. */
export const checkMissing = defineCheck('integrity.checkMissing');
/** Looks for files in the data folder that no row refers to. */
export const checkUntracked = defineCheck('integrity.checkUntracked');
/** Reads originals and compares them with their digests. */
export const checkChecksums = defineCheck('integrity.checkChecksums');

const defineReportJob = <const Name extends string>(name: Name) =>
  defineJob({
    name,
    queue: 'integrityCheck',
    lane: 'background',
    ownSlots: 1,
    payload: Type.Object({
      type: Type.Union([
        Type.Literal('untracked_file'),
        Type.Literal('missing_file'),
        Type.Literal('checksum_mismatch'),
      ]),
      /** Id of the last entry that was handled. */
      after: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    attempts: 2,
    uniqueKey: ({ type }) => type,
  });

/** Removes solved entries from a report. */
export const refreshReport = defineReportJob('integrity.refreshReport');
/** Does with all entries of a report what deleting one does. */
export const deleteReported = defineReportJob('integrity.deleteReported');
