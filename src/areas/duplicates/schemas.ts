import { t } from 'elysia';
import { PageNumber, QueryFlag, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

export const DuplicateResponseDto = t.Object(
  {
    duplicateId: Uuid,
    assets: t.Array(AssetResponseDto),
    suggestedKeepAssetIds: t.Array(Uuid),
    /** Indistinguishable copies, no burst: safe to resolve without a review. */
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
/** Without a size all sets are returned, as clients of Immich expect. */
export const DuplicatesQuery = t.Object({
  page: t.Optional(PageNumber),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
  /** Filters by `isSure`. */
  isSure: QueryFlag,
});

export const DuplicateSummaryDto = t.Object(
  {
    sets: Count,
    assets: Count,
    /** Excludes the suggested one of each set. */
    spareAssets: Count,
    spareBytes: Count,
    /** The same for sure sets alone. */
    sure: t.Object({ sets: Count, spareAssets: Count, spareBytes: Count }),
  },
  { title: 'DuplicateSummaryDto' },
);
export type Summary = typeof DuplicateSummaryDto.static;
