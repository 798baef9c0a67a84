import { type Static, t } from 'elysia';
import { Timestamp, Uuid } from '../../../http/schemas.ts';

export const BrokenAssetsQuery = t.Object({
  /** `nextCursor` of the page before. */
  cursor: t.Optional(t.String({ maxLength: 200 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
});
export type BrokenAssetsFilter = Static<typeof BrokenAssetsQuery>;

const BrokenAssetDto = t.Object(
  {
    id: Uuid,
    type: t.String(),
    originalFileName: t.String(),
    fileSizeInBytes: t.Number({ description: 'Bytes' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    reason: t.String({ description: 'What the decoder reports' }),
    isLocked: t.Boolean(),
  },
  { title: 'BrokenAssetDto' },
);

export const BrokenAssetsDto = t.Object(
  {
    items: t.Array(BrokenAssetDto),
    total: t.Integer({ description: 'Of all pages' }),
    nextCursor: t.Nullable(t.String()),
  },
  { title: 'BrokenAssetsDto' },
);
export type BrokenAssets = Static<typeof BrokenAssetsDto>;

export const BrokenAssetCountDto = t.Object(
  { total: t.Integer({ minimum: 0 }) },
  { title: 'BrokenAssetCountDto' },
);
export type BrokenAssetCount = Static<typeof BrokenAssetCountDto>;
