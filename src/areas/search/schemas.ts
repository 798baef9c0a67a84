import { t } from 'elysia';
import { GuestQuery, InputTimestamp, oneOf, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto, AssetTypeEnum, AssetVisibility } from '../assets/index.ts';
import { SearchFilter } from './filter.schemas.ts';

const AssetOrder = oneOf(['asc', 'desc'], { title: 'AssetOrder' });
const SearchOrderField = oneOf(['fileCreatedAt', 'localDateTime', 'fileSizeInBytes', 'rating'], {
  title: 'SearchOrderField',
});
const Word = t.Optional(t.String({ maxLength: 1000 }));
/** Null finds what has no value. */
const WordOrNull = t.Optional(t.Nullable(t.String({ maxLength: 1000 })));
const Instant = t.Optional(InputTimestamp);
const Flag = t.Optional(t.Boolean());
const Ids = t.Array(Uuid, { maxItems: 1000 });

export const MetadataSearchDto = t.Object(
  {
    albumIds: t.Optional(Ids),
    checksum: Word,
    city: WordOrNull,
    country: WordOrNull,
    createdAfter: Instant,
    createdBefore: Instant,
    cursor: t.Optional(t.String({ maxLength: 200 })),
    description: Word,
    encodedVideoPath: Word,
    filter: t.Optional(SearchFilter),
    id: t.Optional(Uuid),
    isEncoded: Flag,
    isFavorite: Flag,
    isMotion: Flag,
    isNotInAlbum: Flag,
    isOffline: Flag,
    lensModel: WordOrNull,
    libraryId: t.Optional(t.Nullable(Uuid)),
    make: WordOrNull,
    model: WordOrNull,
    ocr: Word,
    order: t.Optional(AssetOrder),
    orderBy: t.Optional(
      t.Object(
        { direction: t.Optional(AssetOrder), field: t.Optional(SearchOrderField) },
        { title: 'SearchOrder' },
      ),
    ),
    originalFileName: Word,
    originalPath: Word,
    page: t.Optional(t.Integer({ minimum: 1 })),
    personIds: t.Optional(Ids),
    previewPath: Word,
    rating: t.Optional(t.Nullable(t.Integer({ minimum: -1, maximum: 5 }))),
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
    state: WordOrNull,
    tagIds: t.Optional(t.Nullable(Ids)),
    takenAfter: Instant,
    takenBefore: Instant,
    thumbnailPath: Word,
    trashedAfter: Instant,
    trashedBefore: Instant,
    type: t.Optional(AssetTypeEnum),
    updatedAfter: Instant,
    updatedBefore: Instant,
    visibility: t.Optional(AssetVisibility),
    withDeleted: Flag,
    withExif: Flag,
    withPeople: Flag,
    withStacked: Flag,
  },
  { title: 'MetadataSearchDto' },
);
export type MetadataSearch = typeof MetadataSearchDto.static;
export const GuestOnlyQuery = t.Object(GuestQuery);

const Count = t.Integer({ minimum: 0 });
const SearchFacetResponseDto = t.Object(
  {
    counts: t.Array(
      t.Object({ count: Count, value: t.String() }, { title: 'SearchFacetCountResponseDto' }),
    ),
    fieldName: t.String(),
  },
  { title: 'SearchFacetResponseDto' },
);

export const SearchResponseDto = t.Object(
  {
    albums: t.Object(
      {
        count: Count,
        facets: t.Array(SearchFacetResponseDto),
        // Always empty: clients only require the member.
        items: t.Array(t.Unknown(), { maxItems: 0 }),
        total: Count,
      },
      { title: 'SearchAlbumResponseDto' },
    ),
    assets: t.Object(
      {
        count: Count,
        facets: t.Array(SearchFacetResponseDto),
        items: t.Array(AssetResponseDto),
        nextCursor: t.Nullable(t.String()),
        nextPage: t.Nullable(t.String()),
        total: Count,
      },
      { title: 'SearchAssetResponseDto' },
    ),
  },
  { title: 'SearchResponseDto' },
);
export type SearchResponse = typeof SearchResponseDto.static;
