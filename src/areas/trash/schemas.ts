import { t } from 'elysia';
import { UTILITY_TOOLS } from '../../db/tables/trash.ts';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const TRASH_ACTIONS = ['trash', 'restore', 'restore-all', 'delete', 'empty'] as const;
const TrashAction = stringEnum(TRASH_ACTIONS, { title: 'TrashAction' });
export type Action = (typeof TRASH_ACTIONS)[number];

const UtilityActivityTool = stringEnum(UTILITY_TOOLS, { title: 'UtilityActivityTool' });
export type Tool = (typeof UTILITY_TOOLS)[number];

const Count = t.Integer({ minimum: 0 });
const AssetIds = t.Optional(t.Array(Uuid, { minItems: 1, maxItems: 50_000 }));
const Token = t.String({ minLength: 16, maxLength: 256 });
const AssetType = stringEnum(['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'], { title: 'AssetTypeEnum' });

export const TrashReviewDto = t.Object(
  { action: TrashAction, assetIds: AssetIds, tool: t.Optional(UtilityActivityTool) },
  { title: 'TrashReviewDto' },
);
export type ReviewRequest = typeof TrashReviewDto.static;

export const TrashReviewResponseDto = t.Object(
  {
    action: TrashAction,
    count: Count,
    sizeInBytes: Count,
    sharedOriginals: Count,
    token: Token,
    expiresAt: Timestamp,
  },
  { title: 'TrashReviewResponseDto' },
);
export type Review = typeof TrashReviewResponseDto.static;

export const TrashApplyDto = t.Object(
  {
    action: TrashAction,
    assetIds: AssetIds,
    tool: t.Optional(UtilityActivityTool),
    token: Token,
  },
  { title: 'TrashApplyDto' },
);
export type ApplyRequest = typeof TrashApplyDto.static;

export const TrashResponseDto = t.Object(
  { count: Count, activityId: t.Optional(t.Nullable(Uuid)) },
  { title: 'TrashResponseDto' },
);
export type Moved = typeof TrashResponseDto.static;

/** Like BulkIdsDto, but the list may be empty. */
export const RestoreDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 65_000 }) },
  { title: 'TrashRestoreDto' },
);

const ITEM_SORTS = [
  'trashed-newest',
  'trashed-oldest',
  'taken-newest',
  'taken-oldest',
  'largest',
  'smallest',
  'name',
] as const;
export type ItemSort = (typeof ITEM_SORTS)[number];

export const TrashItemsQuery = t.Object({
  page: t.Optional(t.Integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 1 })),
  query: t.Optional(t.String({ maxLength: 255 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 200 })),
  sort: t.Optional(stringEnum(ITEM_SORTS, { title: 'TrashItemSort', default: 'trashed-newest' })),
  type: t.Optional(AssetType),
});
export type ItemsFilter = typeof TrashItemsQuery.static;

const TrashItemDto = t.Object(
  {
    id: Uuid,
    type: AssetType,
    originalFileName: t.String(),
    fileCreatedAt: Timestamp,
    trashedAt: Timestamp,
    deletesAt: t.Nullable(Timestamp),
    fileSizeInBytes: Count,
    thumbhash: t.Nullable(t.String()),
    duration: t.Nullable(t.Integer()),
    isLocked: t.Boolean(),
    livePhotoVideoId: t.Nullable(Uuid),
  },
  { title: 'TrashItemDto' },
);
export type Item = typeof TrashItemDto.static;

export const TrashItemsResponseDto = t.Object(
  {
    items: t.Array(TrashItemDto),
    total: Count,
    page: t.Integer(),
    size: t.Integer(),
    hasNextPage: t.Boolean(),
  },
  { title: 'TrashItemsResponseDto' },
);
export type Items = typeof TrashItemsResponseDto.static;

export const TrashSummaryResponseDto = t.Object(
  { items: Count, sizeInBytes: Count, removing: Count },
  { title: 'TrashSummaryResponseDto' },
);
export type Summary = typeof TrashSummaryResponseDto.static;

export const ActivityQuery = t.Object({ tool: UtilityActivityTool });

const UtilityActivityDto = t.Object(
  {
    id: Uuid,
    tool: UtilityActivityTool,
    action: stringEnum(['trashed', 'undone'], { title: 'UtilityActivityAction' }),
    at: Timestamp,
    count: t.Integer({ minimum: 1 }),
    sizeInBytes: Count,
    canUndo: t.Boolean(),
    assets: t.Array(
      t.Object(
        { id: Uuid, originalFileName: t.String(), isTrashed: t.Boolean() },
        { title: 'UtilityActivityAssetDto' },
      ),
    ),
  },
  { title: 'UtilityActivityDto' },
);
export type Activity = typeof UtilityActivityDto.static;

export const UtilityActivityResponseDto = t.Object(
  { items: t.Array(UtilityActivityDto, { maxItems: 200 }) },
  { title: 'UtilityActivityResponseDto' },
);
