import { t } from 'elysia';
import { PageNumber, QueryFlag, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

export const DuplicateResponseDto = t.Object(
  {
    duplicateId: Uuid,
    assets: t.Array(AssetResponseDto),
    suggestedKeepAssetIds: t.Array(Uuid),
    /** Copies that nobody would tell apart, and not shot after shot: whoever trusts this need not look. */
    isSure: t.Boolean(),
  },
  { title: 'DuplicateResponseDto' },
);
export type Duplicates = typeof DuplicateResponseDto.static;

const DuplicateResolveGroupDto = t.Object(
  { duplicateId: Uuid, keepAssetIds: t.Array(Uuid), trashAssetIds: t.Array(Uuid) },
  { title: 'DuplicateResolveGroupDto' },
);
export type ResolveGroup = typeof DuplicateResolveGroupDto.static;

export const DuplicateResolveDto = t.Object(
  { groups: t.Array(DuplicateResolveGroupDto, { minItems: 1, maxItems: 1000 }) },
  { title: 'DuplicateResolveDto' },
);

const Count = t.Integer({ minimum: 0 });
/** Without a size, everything is answered at once: what clients of Immich expect. */
export const DuplicatesQuery = t.Object({
  page: t.Optional(PageNumber),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
  /** Only those sets of which this is said. */
  isSure: QueryFlag,
});

export const DuplicateSummaryDto = t.Object(
  {
    sets: Count,
    assets: Count,
    /** Without the one of each set that is suggested to be kept. */
    spareAssets: Count,
    spareBytes: Count,
    /** Of these the same, of the sure ones alone. */
    sure: t.Object({ sets: Count, spareAssets: Count, spareBytes: Count }),
  },
  { title: 'DuplicateSummaryDto' },
);
export type Summary = typeof DuplicateSummaryDto.static;
