import { t } from 'elysia';
import { Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

export const StackResponseDto = t.Object(
  { assets: t.Array(AssetResponseDto), id: Uuid, primaryAssetId: Uuid },
  { title: 'StackResponseDto' },
);
export type Stack = typeof StackResponseDto.static;

export const StackCreateDto = t.Object(
  { assetIds: t.Array(Uuid, { minItems: 2, maxItems: 10_000 }) },
  { title: 'StackCreateDto' },
);

export const StackUpdateDto = t.Object(
  { primaryAssetId: t.Optional(Uuid) },
  { title: 'StackUpdateDto' },
);
export type StackUpdate = typeof StackUpdateDto.static;

export const StackQuery = t.Object({ primaryAssetId: t.Optional(Uuid) });
export const StackAssetParams = t.Object({ id: Uuid, assetId: Uuid });
