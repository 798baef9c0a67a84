import { t } from 'elysia';
import { QUALITIES } from '../../../db/tables/studio.ts';
import { AnyUuid, stringEnum, Timestamp, Uuid, Uuid7 } from '../../../http/schemas.ts';
import { RationalTimeDto } from '../projects/schemas.ts';

const { Nullable } = t;

export const StudioPreviewQuality = stringEnum(QUALITIES, { title: 'StudioPreviewQuality' });

/** In pixels. */
export const StudioViewportDto = t.Object(
  {
    width: t.Integer({ minimum: 16, maximum: 3840 }),
    height: t.Integer({ minimum: 16, maximum: 2160 }),
  },
  { title: 'StudioViewportDto' },
);

export const StudioPreviewRequestDto = t.Object(
  {
    projectId: Uuid,
    revision: t.Integer({ minimum: 1 }),
    time: RationalTimeDto,
    quality: StudioPreviewQuality,
    viewport: StudioViewportDto,
    consumerRequestId: t.Optional(AnyUuid),
  },
  { title: 'StudioPreviewRequestDto' },
);
export type PreviewRequest = typeof StudioPreviewRequestDto.static;

const StudioPreviewReceiptDto = t.Object(
  {
    deliveryRetiredAt: Nullable(Timestamp),
    rendererReleasedAt: Nullable(Timestamp),
    remainingConsumers: t.Integer({ minimum: 0 }),
  },
  { title: 'StudioPreviewReceiptDto' },
);

export const StudioPreviewDto = t.Object(
  {
    id: Uuid7,
    projectId: Uuid,
    revision: t.Integer({ minimum: 1 }),
    time: RationalTimeDto,
    quality: StudioPreviewQuality,
    viewport: StudioViewportDto,
    status: stringEnum(['queued', 'rendering', 'ready', 'failed', 'cancelled', 'retired'], {
      title: 'StudioPreviewStatus',
    }),
    /** Contains the revision; null until the frame is ready. */
    entityTag: Nullable(t.String()),
    consumerRequestId: Nullable(AnyUuid),
    operationId: Nullable(Uuid7),
    currentRevision: t.Integer({ minimum: 1 }),
    createdAt: Timestamp,
    readyAt: Nullable(Timestamp),
    receipt: StudioPreviewReceiptDto,
    error: Nullable(t.String()),
  },
  { title: 'StudioPreviewDto' },
);
export type StudioPreview = typeof StudioPreviewDto.static;

export const StudioPreviewResponseDto = t.Object(
  { preview: StudioPreviewDto, operationId: Nullable(Uuid7), isShared: t.Boolean() },
  { title: 'StudioPreviewResponseDto' },
);
export type StudioPreviewResponse = typeof StudioPreviewResponseDto.static;

export const PreviewParams = t.Object({ id: Uuid7 });
export const ConsumerQuery = t.Object({ consumerRequestId: t.Optional(AnyUuid) });
export const RetireQuery = t.Object({
  consumerRequestId: t.Optional(AnyUuid),
  /** 'null' names an admission that never waited for an operation. */
  expectedOperationId: t.Optional(t.Union([AnyUuid, t.Literal('null')])),
});
export type RetireQuery = typeof RetireQuery.static;
