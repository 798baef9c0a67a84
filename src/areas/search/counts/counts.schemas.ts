import { t } from 'elysia';
import { stringEnum } from '../../../http/schemas.ts';
import { FILTER_FIELDS } from '../match/filter-fields.schemas.ts';
import { Count, LESS_CERTAIN, TEXT_FIELDS } from '../schemas.ts';

/** Filters of a search without paging and order, which do not change a count. */
const COUNTED_FIELDS = { ...FILTER_FIELDS, ...TEXT_FIELDS };
export const StatisticsSearchDto = t.Object(COUNTED_FIELDS, {
  title: 'StatisticsSearchDto',
});
export type StatisticsSearch = typeof StatisticsSearchDto.static;
export const SearchStatisticsResponseDto = t.Object(
  { total: Count },
  { title: 'SearchStatisticsResponseDto' },
);

const HistogramGranularity = stringEnum(['day', 'month', 'year'], {
  title: 'HistogramGranularity',
});
export type Granularity = typeof HistogramGranularity.static;

export const SearchHistogramDto = t.Object(
  {
    ...COUNTED_FIELDS,
    ...LESS_CERTAIN,
    granularity: t.Optional({ ...HistogramGranularity, default: 'month' as const }),
  },
  { title: 'SearchHistogramDto' },
);
export type HistogramSearch = typeof SearchHistogramDto.static;

const SearchHistogramBucketDto = t.Object(
  {
    /** The day, month or year of the local capture time, as YYYY-MM-DD, YYYY-MM or YYYY. */
    date: t.String(),
    count: t.Integer({ minimum: 1 }),
  },
  { title: 'SearchHistogramBucketDto' },
);
export const SearchHistogramResponseDto = t.Object(
  {
    granularity: HistogramGranularity,
    total: Count,
    buckets: t.Array(SearchHistogramBucketDto),
  },
  { title: 'SearchHistogramResponseDto' },
);
export type Histogram = typeof SearchHistogramResponseDto.static;

export const FACET_FIELDS = [
  'people',
  'type',
  'country',
  'state',
  'city',
  'make',
  'model',
  'lensModel',
  'rating',
  'isFavorite',
  'tags',
] as const;
const SearchFacetField = stringEnum(FACET_FIELDS, { title: 'SearchFacetField' });
export type FacetField = typeof SearchFacetField.static;

export const SearchFacetsDto = t.Object(
  {
    ...COUNTED_FIELDS,
    ...LESS_CERTAIN,
    facets: t.Optional(t.Array(SearchFacetField, { maxItems: FACET_FIELDS.length * 2 })),
    /** Values per facet. */
    facetSize: t.Optional(t.Integer({ minimum: 1, maximum: 500, default: 50 })),
  },
  { title: 'SearchFacetsDto' },
);
export type FacetsSearch = typeof SearchFacetsDto.static;

const SearchFacetValueDto = t.Object(
  {
    /** Can be put back into the search; null for what is not known. */
    value: t.Nullable(t.String()),
    label: t.Nullable(t.String()),
    count: t.Integer({ minimum: 1 }),
  },
  { title: 'SearchFacetValueDto' },
);
export type FacetValue = typeof SearchFacetValueDto.static;
const SearchFacetGroupDto = t.Object(
  { field: SearchFacetField, values: t.Array(SearchFacetValueDto) },
  { title: 'SearchFacetGroupDto' },
);
export const SearchFacetsResponseDto = t.Object(
  { total: Count, facets: t.Array(SearchFacetGroupDto) },
  { title: 'SearchFacetsResponseDto' },
);
export type Facets = typeof SearchFacetsResponseDto.static;

export const SearchCityCountResponseDto = t.Object(
  {
    city: t.String(),
    state: t.Nullable(t.String()),
    country: t.Nullable(t.String()),
    count: t.Integer({ minimum: 1 }),
  },
  { title: 'SearchCityCountResponseDto' },
);
export type CityCount = typeof SearchCityCountResponseDto.static;
