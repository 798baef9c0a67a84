import { t } from 'elysia';
import { Uuid } from '../../../http/schemas.ts';
import { Steps } from '../schemas.ts';

export const WorkflowPreviewDto = t.Object({ steps: Steps }, { title: 'WorkflowPreviewDto' });
export type WorkflowPreviewInput = typeof WorkflowPreviewDto.static;

const Count = t.Integer({ minimum: 0 });

export const WorkflowPreviewResponseDto = t.Object(
  {
    /** The newest items of the library that were looked at. */
    total: Count,
    /** Items that all filters let pass. */
    matched: Count,
    /** Items without recognition that a filter needs. */
    waiting: Count,
    /** The newest that match. */
    assetIds: t.Array(Uuid),
  },
  { title: 'WorkflowPreviewResponseDto' },
);
export type WorkflowPreview = typeof WorkflowPreviewResponseDto.static;
