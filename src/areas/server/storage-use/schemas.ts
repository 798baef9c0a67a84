import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

/** Kinds that are added up to what an account takes. */
export const KINDS = [
  'photo',
  'raw',
  'video',
  'other',
  'trash',
  'preview',
  'transcode',
  'export',
  'backup',
  'database',
] as const;
/** Parts of them that an account may not need. */
export const PARTS = ['large', 'raw_pair'] as const;

const Amount = { files: t.Integer({ minimum: 0 }), bytes: t.Integer({ minimum: 0 }) };
const StorageUseDto = t.Object(
  { kind: stringEnum(KINDS, { title: 'StorageKind' }), ...Amount },
  { title: 'StorageUseDto' },
);

export const StorageUsesDto = t.Object(
  {
    /** When the measurement began; null: not measured yet. */
    measuredAt: t.Nullable(Timestamp),
    /** Files of the server itself. */
    server: t.Array(StorageUseDto),
    accounts: t.Array(
      t.Object(
        { userId: Uuid, userName: t.String(), uses: t.Array(StorageUseDto) },
        { title: 'AccountStorageDto' },
      ),
    ),
    /** Parts of the caller's own items: large files, and raw photos that are there as pictures too. */
    own: t.Array(
      t.Object(
        { kind: stringEnum(PARTS, { title: 'StoragePart' }), ...Amount },
        { title: 'StoragePartDto' },
      ),
    ),
  },
  { title: 'StorageUsesDto' },
);
export type StorageUses = typeof StorageUsesDto.static;

/** A measurement that began at that time or later is the one that was asked for. */
export const StorageMeasurementDto = t.Object(
  { requestedAt: Timestamp },
  { title: 'StorageMeasurementDto' },
);
export type StorageMeasurement = typeof StorageMeasurementDto.static;
