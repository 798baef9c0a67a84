import { t } from 'elysia';
import { BulkIdResponseDto, Uuid } from '../../../http/schemas.ts';

export const SaveAssetsDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 500 }) },
  { title: 'SaveAssetsDto' },
);

export const SavedAssetDto = t.Object(
  {
    ...BulkIdResponseDto.properties,
    assetId: t.Optional(
      t.String({
        ...Uuid,
        description: "The asset in the caller's library: created, or restored from the trash",
      }),
    ),
  },
  { title: 'SavedAssetDto' },
);
export type SavedAsset = typeof SavedAssetDto.static;
