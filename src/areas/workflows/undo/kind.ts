import { type Static, Type } from 'typebox';
import { defineOperation, type Operation } from '../../../operations/define.ts';
import { undoBackfill } from '../jobs.ts';

const Count = Type.Integer({ minimum: 0 });
const Payload = Type.Object({ backfillId: Type.String({ format: 'uuid' }) });
const Progress = Type.Object({
  /** Changes that were taken back. */
  restored: Count,
  /** Changes that were left, since somebody has changed the same since. */
  changed: Count,
  /** Changes that were left, since the account may not change the item or the album any more, or it is gone. */
  unavailable: Count,
});
export type UndoProgress = Static<typeof Progress>;

/** Undoes of runs of workflows for existing items. The id of the request is that of the run: each has one undo. */
export const undoKind = defineOperation({
  name: 'workflow-undo',
  job: undoBackfill,
  payload: Payload,
  progress: Progress,
  start: { restored: 0, changed: 0, unavailable: 0 },
});
export type UndoOperation = Operation<Static<typeof Payload>, UndoProgress>;
