import { t } from 'elysia';
import { Uuid } from '../../../http/schemas.ts';
import { Steps } from '../schemas.ts';

/** Items that are looked at unless more are asked for. */
export const DEFAULT_ITEMS = 1_000;
const MAX_ITEMS = 10_000;

export const WorkflowPreviewDto = t.Object(
  {
    steps: Steps,
    /** Items that are looked at at most, the newest first. */
    items: t.Optional(t.Integer({ minimum: 1, maximum: MAX_ITEMS })),
  },
  { title: 'WorkflowPreviewDto' },
);
export type WorkflowPreviewInput = typeof WorkflowPreviewDto.static;

const Count = t.Integer({ minimum: 0 });

export const WorkflowPreviewResponseDto = t.Object(
  {
    /** The newest items of the library that were looked at. */
    total: Count,
    /** Whether these are all items of the library: the counts are exact. */
    isComplete: t.Boolean(),
    /** Items that all filters let pass. */
    matched: Count,
    /** Items that a run does something with: they reach its first action. */
    affected: Count,
    /** Items without recognition that a filter needs. */
    waiting: Count,
    /** Indexes of the actions that an undo of a run does not take back. */
    irreversibleSteps: t.Array(Count),
    /** The newest that match. */
    assetIds: t.Array(Uuid),
  },
  { title: 'WorkflowPreviewResponseDto' },
);
export type WorkflowPreview = typeof WorkflowPreviewResponseDto.static;
