import { t } from 'elysia';
import { GuestQuery, stringEnum, PageNumber, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';
import { FILTER_FIELDS, Flag, Word } from './match/filter-fields.schemas.ts';

const AssetOrder = stringEnum(['asc', 'desc'], { title: 'AssetOrder' });
const SearchOrderField = stringEnum(
  ['fileCreatedAt', 'localDateTime', 'fileSizeInBytes', 'rating'],
  {
    title: 'SearchOrderField',
  },
);
/** Members of a search by text or by a picture. */
export const TEXT_FIELDS = {
  language: t.Optional(t.String({ maxLength: 20 })),
  query: Word,
  /** Finds pictures similar to this asset, if no text is given. */
  queryAssetId: t.Optional(Uuid),
};
const TextFieldsDto = t.Object(TEXT_FIELDS);
/** A member of our own operations: also finds what is below the threshold of the model. */
export const LESS_CERTAIN = { lessCertain: Flag };
export type TextFields = typeof TextFieldsDto.static & { readonly lessCertain?: boolean };

export const MetadataSearchDto = t.Object(
  {
    ...FILTER_FIELDS,
    cursor: t.Optional(t.String({ maxLength: 200 })),
    order: t.Optional(AssetOrder),
    orderBy: t.Optional(
      t.Object(
        { direction: t.Optional(AssetOrder), field: t.Optional(SearchOrderField) },
        { title: 'SearchOrder' },
      ),
    ),
    page: t.Optional(PageNumber),
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
    withExif: Flag,
    withPeople: Flag,
    withStacked: Flag,
  },
  { title: 'MetadataSearchDto' },
);
export type MetadataSearch = typeof MetadataSearchDto.static;
export const GuestOnlyQuery = t.Object(GuestQuery);

export const Count = t.Integer({ minimum: 0 });
const SearchFacetResponseDto = t.Object(
  {
    counts: t.Array(
      t.Object({ count: Count, value: t.String() }, { title: 'SearchFacetCountResponseDto' }),
    ),
    fieldName: t.String(),
  },
  { title: 'SearchFacetResponseDto' },
);

export const SearchAssetResponseDto = t.Object(
  {
    count: Count,
    facets: t.Array(SearchFacetResponseDto),
    items: t.Array(AssetResponseDto),
    nextCursor: t.Nullable(t.String()),
    nextPage: t.Nullable(t.String()),
    total: Count,
  },
  { title: 'SearchAssetResponseDto' },
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
    assets: SearchAssetResponseDto,
  },
  { title: 'SearchResponseDto' },
);
