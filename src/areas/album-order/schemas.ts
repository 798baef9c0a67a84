import { t } from 'elysia';
import { GuestQuery, stringEnum, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

const Revision = t.Integer({ minimum: 0 });
const AlbumOrderEnum = stringEnum(['asc', 'desc', 'custom'], { title: 'AlbumItemOrder' });

/** Items of one move. */
const MAX_MOVED = 500;
const MAX_SIZE = 1_000;

export const AlbumOrderResponseDto = t.Object(
  {
    /** By date of capture, or by hand. */
    order: AlbumOrderEnum,
    /** Incremented with each change of an order by hand. */
    revision: Revision,
  },
  { title: 'AlbumOrderResponseDto' },
);
export type AlbumOrder = typeof AlbumOrderResponseDto.static;

export const AlbumOrderDto = t.Object(
  {
    order: AlbumOrderEnum,
    /** Refused if the order has another one. */
    revision: t.Optional(Revision),
  },
  { title: 'AlbumOrderDto' },
);
export type AlbumOrderChange = typeof AlbumOrderDto.static;

export const AlbumItemsQuery = t.Object({
  ...GuestQuery,
  size: t.Optional(t.Integer({ minimum: 1, maximum: MAX_SIZE, default: 120 })),
  cursor: t.Optional(t.String({ maxLength: 200 })),
});
export type AlbumItemsPage = Pick<typeof AlbumItemsQuery.static, 'size' | 'cursor'>;

export const AlbumItemsResponseDto = t.Object(
  { items: t.Array(AssetResponseDto), nextCursor: t.Nullable(t.String()) },
  { title: 'AlbumItemsResponseDto' },
);
export type AlbumItems = typeof AlbumItemsResponseDto.static;

export const AlbumMoveDto = t.Object(
  {
    /** In the order that they get. */
    assetIds: t.Array(Uuid, { minItems: 1, maxItems: MAX_MOVED }),
    /** The item that they are moved before; either this or `after`. */
    before: t.Optional(Uuid),
    after: t.Optional(Uuid),
    /** Refused if the order has another one. */
    revision: t.Optional(Revision),
  },
  { title: 'AlbumMoveDto' },
);
export type AlbumMove = typeof AlbumMoveDto.static;
