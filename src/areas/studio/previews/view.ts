import type { StudioRenderRow } from '../../../db/tables/studio.ts';
import type { StudioPreview } from './schemas.ts';
import type { PreviewRow } from './store.ts';

/** '"3f2c8a10-r4-9be1d2c7"': changes with the revision and whatever else decides what the frame shows. */
export const getEntityTag = ({ projectId, revision, renderKey }: StudioRenderRow): string =>
  `"${projectId.slice(0, 8)}-r${revision}-${renderKey.slice(0, 16)}"`;

export const toPreview = ({
  preview,
  render,
  currentRevision,
  remainingConsumers,
}: PreviewRow): StudioPreview => ({
  id: preview.id,
  projectId: render.projectId,
  revision: render.revision,
  time: { numerator: render.numerator, denominator: render.denominator },
  quality: render.quality,
  viewport: { width: render.width, height: render.height },
  status: preview.retiredAt ? 'retired' : render.state,
  entityTag: render.state === 'ready' ? getEntityTag(render) : null,
  consumerRequestId: preview.consumerRequestId,
  operationId: preview.operationId,
  currentRevision,
  createdAt: preview.createdAt.toISOString(),
  readyAt: render.readyAt?.toISOString() ?? null,
  receipt: {
    deliveryRetiredAt: preview.retiredAt?.toISOString() ?? null,
    rendererReleasedAt: render.releasedAt?.toISOString() ?? null,
    remainingConsumers,
  },
  error: render.error,
});
