import { t } from 'elysia';
import { Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

export const DuplicateResponseDto = t.Object(
  {
    duplicateId: Uuid,
    assets: t.Array(AssetResponseDto),
    suggestedKeepAssetIds: t.Array(Uuid),
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
