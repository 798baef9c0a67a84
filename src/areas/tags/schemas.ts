import { t } from 'elysia';
import { REFUSAL, type Refusal, Timestamp, Uuid } from '../../http/schemas.ts';

const Color = t.String({
  pattern: '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$',
});
/** One part of a path: not blank, without a slash. */
const Name = t.String({
  maxLength: 255,
  pattern: '^[^/]*[^/\\s][^/]*$',
  [REFUSAL]: ((name) =>
    name.includes('/') ? 'Tag name cannot contain slash characters ("/")' : undefined) as Refusal,
});

/** Maximum length of a path in bytes: the limit of an index entry. */
export const MAX_PATH_BYTES = 2000;
/** Maximum number of pairs of tag and asset in one request. */
export const MAX_PAIRS = 1_000_000;

export const TagResponseDto = t.Object(
  {
    color: t.Optional(t.String()),
    createdAt: Timestamp,
    id: Uuid,
    name: t.String(),
    parentId: t.Optional(t.String()),
    updatedAt: Timestamp,
    value: t.String(),
  },
  { title: 'TagResponseDto' },
);
export type Tag = typeof TagResponseDto.static;

export const TagCreateDto = t.Object(
  {
    color: t.Optional(t.Nullable(Color)),
    name: Name,
    parentId: t.Optional(t.Nullable(Uuid)),
  },
  { title: 'TagCreateDto' },
);
export type TagCreate = typeof TagCreateDto.static;

export const TagUpdateDto = t.Object(
  {
    color: t.Optional(t.Nullable(Color)),
    name: t.Optional(Name),
    /** Null: top level. */
    parentId: t.Optional(t.Nullable(Uuid)),
  },
  { title: 'TagUpdateDto' },
);
export type TagUpdate = typeof TagUpdateDto.static;

export const TagUpsertDto = t.Object(
  { tags: t.Array(t.String({ maxLength: MAX_PATH_BYTES }), { maxItems: 10_000 }) },
  { title: 'TagUpsertDto' },
);

export const TagBulkAssetsDto = t.Object(
  {
    assetIds: t.Array(Uuid, { maxItems: 65_000 }),
    tagIds: t.Array(Uuid, { maxItems: 10_000 }),
  },
  { title: 'TagBulkAssetsDto' },
);
export type TagBulkAssets = typeof TagBulkAssetsDto.static;

const Count = t.Integer({ minimum: 0 });

export const TagBulkAssetsResponseDto = t.Object(
  { count: Count },
  { title: 'TagBulkAssetsResponseDto' },
);

/** `count`: Timeline items with exactly this tag; `totalCount`: with it or a tag below it. */
export const TagStatisticsResponseDto = t.Object(
  { count: Count, tagId: Uuid, totalCount: Count },
  { title: 'TagStatisticsResponseDto' },
);
export type TagStatistics = typeof TagStatisticsResponseDto.static;
