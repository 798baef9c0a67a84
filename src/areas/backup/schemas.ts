import { t } from 'elysia';
import { BACKUP_PLATFORMS, RECONCILIATION_STATUSES } from '../../db/tables/backup.ts';
import { AnyUuid, InputTimestamp, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

export const BucketParams = t.Object({ id: AnyUuid, runId: AnyUuid });

export const PageQuery = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 200, default: 100 })),
  offset: t.Optional(t.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
});
export type PageQuery = typeof PageQuery.static;

const PAGE = { total: t.Integer({ minimum: 0 }), limit: t.Integer(), offset: t.Integer() };
const Count = t.Integer({ minimum: 0 });
const BackupDevicePlatform = stringEnum(BACKUP_PLATFORMS, { title: 'BackupDevicePlatform' });
const ReconciliationStatus = stringEnum(RECONCILIATION_STATUSES, { title: 'ReconciliationStatus' });

export const BackupDeviceWriteDto = t.Object(
  {
    deviceKey: t.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' }),
    name: t.String({ minLength: 1, maxLength: 100 }),
    platform: t.Optional(BackupDevicePlatform),
    appVersion: t.Optional(t.Nullable(t.String({ maxLength: 50 }))),
    lastSuccessAt: t.Optional(t.Nullable(InputTimestamp)),
    pendingCount: t.Optional(t.Nullable(t.Integer({ minimum: 0, maximum: 10_000_000 }))),
  },
  { title: 'BackupDeviceWriteDto' },
);
export type DeviceReport = typeof BackupDeviceWriteDto.static;

const ReconciliationSummaryDto = t.Object(
  {
    runId: AnyUuid,
    status: ReconciliationStatus,
    checkedAt: Timestamp,
    /** Null unless the run was completed. */
    missingCount: t.Nullable(Count),
    completedAt: t.Nullable(Timestamp),
  },
  { title: 'ReconciliationSummaryDto' },
);

export const BackupDeviceDto = t.Object(
  {
    id: Uuid,
    deviceKey: t.String(),
    name: t.String(),
    platform: BackupDevicePlatform,
    appVersion: t.Nullable(t.String()),
    lastSuccessAt: t.Nullable(Timestamp),
    pendingCount: t.Nullable(Count),
    reportedAt: Timestamp,
    /** Always false: the device reports the numbers. */
    isVerified: t.Boolean(),
    lastReconciliation: t.Nullable(ReconciliationSummaryDto),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'BackupDeviceDto' },
);
export type BackupDevice = typeof BackupDeviceDto.static;

export const BackupDeviceListDto = t.Object(
  { items: t.Array(BackupDeviceDto), ...PAGE },
  { title: 'BackupDeviceListDto' },
);
export type BackupDeviceList = typeof BackupDeviceListDto.static;

/** Hex in lower case, or base64. */
const GivenHash = t.String({ pattern: '^([0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$' });
const BucketIndex = t.Integer({ minimum: 0, maximum: 255 });
const MAX_HASHES = 2000;

const ReconciliationBucketDigest = t.Object(
  {
    index: BucketIndex,
    count: t.Integer({ minimum: 0, maximum: MAX_HASHES }),
    digest: GivenHash,
  },
  { title: 'ReconciliationBucketDigest' },
);

export const ReconciliationStartDto = t.Object(
  { buckets: t.Array(ReconciliationBucketDigest, { minItems: 256, maxItems: 256 }) },
  { title: 'ReconciliationStartDto' },
);
export type ReconciliationStart = typeof ReconciliationStartDto.static;

export const ReconciliationBucketDto = t.Object(
  { index: BucketIndex, hashes: t.Array(GivenHash, { maxItems: MAX_HASHES }) },
  { title: 'ReconciliationBucketDto' },
);
export type ReconciliationBucket = typeof ReconciliationBucketDto.static;

export const ReconciliationResultDto = t.Object(
  {
    runId: AnyUuid,
    deviceId: Uuid,
    status: ReconciliationStatus,
    checkedAt: Timestamp,
    deviceCount: Count,
    differingBuckets: t.Array(BucketIndex),
    pendingBuckets: t.Array(BucketIndex),
    matchedCount: Count,
    missingCount: Count,
    /** The hashes of the bucket of this request. */
    missingHashes: t.Array(t.String()),
    completedAt: t.Nullable(Timestamp),
  },
  { title: 'ReconciliationResultDto' },
);
export type ReconciliationResult = typeof ReconciliationResultDto.static;

const ReconciliationRunDto = t.Object(
  {
    runId: AnyUuid,
    deviceId: Uuid,
    status: ReconciliationStatus,
    checkedAt: Timestamp,
    deviceCount: Count,
    differingBucketCount: Count,
    validatedBucketCount: Count,
    matchedCount: Count,
    missingCount: Count,
    startedAt: Timestamp,
    completedAt: t.Nullable(Timestamp),
  },
  { title: 'ReconciliationRunDto' },
);

export const ReconciliationHistoryDto = t.Object(
  { items: t.Array(ReconciliationRunDto), ...PAGE },
  { title: 'ReconciliationHistoryDto' },
);
export type ReconciliationHistory = typeof ReconciliationHistoryDto.static;
