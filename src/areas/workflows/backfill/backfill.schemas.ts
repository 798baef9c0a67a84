import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

const Count = t.Integer({ minimum: 0 });
/** UUID of any version. */
const AnyUuid = t.String({ format: 'uuid' });

const BACKFILL_STATUSES = ['running', 'paused', 'completed', 'cancelled', 'failed'] as const;

const WorkflowUndoDto = t.Object(
  {
    status: stringEnum(['running', 'completed', 'failed'], { title: 'WorkflowUndoStatus' }),
    /** Changes of the run. */
    total: Count,
    /** Changes that were taken back. */
    restored: Count,
    /** Changes that were left, since the same was changed again. */
    changed: Count,
    /** Changes that were left, since the account may not take them back any more. */
    unavailable: Count,
  },
  { title: 'WorkflowUndoDto' },
);

export const WorkflowBackfillResponseDto = t.Object(
  {
    /** The job run. */
    id: AnyUuid,
    workflowId: Uuid,
    status: stringEnum(BACKFILL_STATUSES, { title: 'WorkflowBackfillStatus' }),
    /** Items of the library at the start. */
    total: Count,
    /** Items that its filters were applied to, newest uploads first. */
    evaluated: Count,
    /** Items that the filters before the first action let pass. */
    matched: Count,
    /** Items that go on once they are recognised. */
    waiting: Count,
    /** Matching items that the workflow has run for. */
    processed: Count,
    createdAt: Timestamp,
    finishedAt: t.Nullable(Timestamp),
    error: t.Nullable(t.String()),
    /** It has ended, and what it has changed can be taken back. */
    canUndo: t.Boolean(),
    undo: t.Nullable(WorkflowUndoDto),
  },
  { title: 'WorkflowBackfillResponseDto' },
);
export type WorkflowBackfill = typeof WorkflowBackfillResponseDto.static;

export const WorkflowBackfillUpdateDto = t.Object(
  {
    status: stringEnum(['running', 'paused', 'cancelled'], {
      title: 'WorkflowBackfillUpdateStatus',
    }),
  },
  { title: 'WorkflowBackfillUpdateDto' },
);
export type WorkflowBackfillUpdate = typeof WorkflowBackfillUpdateDto.static;

export const WorkflowBackfillParams = t.Object({ id: AnyUuid, backfillId: AnyUuid });
