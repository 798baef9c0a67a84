import { t } from 'elysia';
import { APPLY_STATUSES, DECISIONS } from '../../db/tables/physical-deduplication.ts';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const Count = t.Integer({ minimum: 0 });
const Fingerprint = t.String({ pattern: '^[0-9a-f]{64}$' });
const Decision = stringEnum(DECISIONS, { title: 'DedupDecision' });
const PlanStatus = stringEnum(['previewed', 'reviewed', 'superseded', 'applying', 'applied'], {
  title: 'DedupPlanStatus',
});

export const PreviewRequestDto = t.Object(
  {
    /** Account whose files are all retained. */
    retainUserId: t.Optional(t.Nullable(Uuid)),
    /** Account whose copies are reviewed, and nobody else's. */
    reviewUserId: t.Optional(t.Nullable(Uuid)),
  },
  { title: 'PhysicalDeduplicationPreviewRequestDto' },
);
export type PreviewRequest = typeof PreviewRequestDto.static;

export const PreviewQuery = t.Object({
  /** Id of the last group of the page before; without it the first page. */
  after: t.Optional(Uuid),
  /** Groups of a page; without it all. */
  limit: t.Optional(t.Integer({ minimum: 0, maximum: 10_000 })),
});
export type PreviewQuery = typeof PreviewQuery.static;

const CopyDto = t.Object(
  {
    id: Uuid,
    assetId: Uuid,
    ownerId: Uuid,
    ownerName: t.String(),
    path: t.String(),
    sizeInBytes: Count,
    checksum: t.String(),
    /** Rows that refer to the file. */
    referenceCount: t.Integer({ minimum: 1 }),
    decision: Decision,
    /** Whether the caller may see the item. */
    isThumbnailVisible: t.Boolean(),
    /** Why the copy could not be applied, or why its file was left where it is. */
    problem: t.Nullable(t.String()),
  },
  { title: 'PhysicalDeduplicationCopyDto' },
);
export type Copy = typeof CopyDto.static;

const GroupDto = t.Object(
  {
    id: Uuid,
    /** SHA-1 in base64. */
    checksum: t.String(),
    sizeInBytes: Count,
    retained: CopyDto,
    copies: t.Array(CopyDto, { minItems: 1 }),
  },
  { title: 'PhysicalDeduplicationGroupDto' },
);
export type Group = typeof GroupDto.static;

const PlanDto = t.Object(
  {
    id: Uuid,
    fingerprint: Fingerprint,
    status: PlanStatus,
    retainUserId: t.Nullable(Uuid),
    reviewUserId: t.Nullable(Uuid),
    /** Null: the plan cannot be applied. */
    masterUserId: t.Nullable(Uuid),
    createdAt: Timestamp,
    reviewedAt: t.Nullable(Timestamp),
    groups: t.Array(GroupDto),
    reclaimableBytes: Count,
    /** Bytes that uploads share already. */
    sharedBytes: Count,
  },
  { title: 'PhysicalDeduplicationPlanDto' },
);
export type Plan = typeof PlanDto.static;

const ApplyDto = t.Object(
  {
    id: Uuid,
    planId: Uuid,
    status: stringEnum(APPLY_STATUSES, { title: 'DedupApplyStatus' }),
    total: Count,
    processed: Count,
    failed: Count,
    reclaimedBytes: Count,
    startedAt: Timestamp,
    finishedAt: t.Nullable(Timestamp),
  },
  { title: 'PhysicalDeduplicationApplyDto' },
);
export type Apply = typeof ApplyDto.static;

export const PreviewResponseDto = t.Object(
  {
    status: stringEnum(['none', 'queued', 'running', 'ready', 'failed'], {
      title: 'DedupPreviewStatus',
    }),
    plan: t.Nullable(PlanDto),
    applies: t.Array(ApplyDto),
    error: t.Nullable(t.String()),
  },
  { title: 'PhysicalDeduplicationPreviewResponseDto' },
);
export type PreviewResponse = typeof PreviewResponseDto.static;

export const ReviewRequestDto = t.Object(
  {
    planId: Uuid,
    fingerprint: Fingerprint,
    decisions: t.Array(
      t.Object({ copyId: Uuid, decision: Decision }, { title: 'PhysicalDeduplicationDecisionDto' }),
      { minItems: 1, uniqueItems: true },
    ),
  },
  { title: 'PhysicalDeduplicationReviewRequestDto' },
);
export type ReviewRequest = typeof ReviewRequestDto.static;

export const ReviewResponseDto = t.Object(
  {
    planId: Uuid,
    fingerprint: Fingerprint,
    status: PlanStatus,
    reviewedAt: Timestamp,
    approved: Count,
    rejected: Count,
    undecided: Count,
    /** The bytes of approved copies. */
    reclaimableBytes: Count,
  },
  { title: 'PhysicalDeduplicationReviewResponseDto' },
);
export type ReviewResponse = typeof ReviewResponseDto.static;

export const RestoreRequestDto = t.Object(
  { copyIds: t.Array(Uuid, { minItems: 1, maxItems: 1000, uniqueItems: true }) },
  { title: 'PhysicalDeduplicationRestoreRequestDto' },
);

const RetainedDto = t.Object(
  {
    path: t.String(),
    exists: t.Boolean(),
    checksumMatches: t.Boolean(),
    sizeMatches: t.Boolean(),
  },
  { title: 'PhysicalDeduplicationRetainedDto' },
);
export type Retained = typeof RetainedDto.static;

const CopyStateDto = t.Object(
  {
    copyId: Uuid,
    assetId: Uuid,
    ownerId: Uuid,
    formerPath: t.String(),
    state: stringEnum(['gone', 'on-disk', 'restored'], { title: 'DedupCopyState' }),
    /** The checksum of the former file, where it is or in the quarantine; null: it is gone. */
    checksumMatches: t.Nullable(t.Boolean()),
    sizeMatches: t.Nullable(t.Boolean()),
    canRestore: t.Boolean(),
  },
  { title: 'PhysicalDeduplicationCopyStateDto' },
);
export type CopyState = typeof CopyStateDto.static;

export const VerificationDto = t.Object(
  {
    applyId: Uuid,
    planId: Uuid,
    verifiedAt: Timestamp,
    retained: t.Array(RetainedDto),
    copies: t.Array(CopyStateDto),
  },
  { title: 'PhysicalDeduplicationVerificationDto' },
);
export type Verification = typeof VerificationDto.static;
