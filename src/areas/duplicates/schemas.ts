import { t } from 'elysia';
import { PageNumber, stringEnum, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';
import { LIKENESSES } from '../duplicate-sets/index.ts';

const LikenessDto = stringEnum([...LIKENESSES], { title: 'DuplicateLikeness' });

export const DuplicateResponseDto = t.Object(
  {
    duplicateId: Uuid,
    assets: t.Array(AssetResponseDto),
    suggestedKeepAssetIds: t.Array(Uuid),
    /** Only `identical` sets are safe to resolve without a review. A crop is only proposed, a burst is offered to be stacked. */
    likeness: LikenessDto,
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
  /** By default all but bursts. */
  likeness: t.Optional(LikenessDto),
});

export const DuplicateSummaryDto = t.Object(
  {
    sets: Count,
    assets: Count,
    /** Assets that are not suggested to be kept. */
    spareAssets: Count,
    spareBytes: Count,
    /** The same for identical sets alone. */
    identical: t.Object({ sets: Count, spareAssets: Count, spareBytes: Count }),
    /** Sets of shots in succession, which are no duplicates. */
    bursts: Count,
  },
  { title: 'DuplicateSummaryDto' },
);
export type Summary = typeof DuplicateSummaryDto.static;
