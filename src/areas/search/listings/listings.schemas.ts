import { t } from 'elysia';
import {
  deprecateAllBut,
  InputTimestamp,
  stringEnum,
  QueryFlag,
  Uuid,
} from '../../../http/schemas.ts';
import { AssetResponseDto, AssetTypeEnum, AssetVisibility } from '../../assets/index.ts';
import { FILTER_FIELDS, Flag } from '../match/filter-fields.schemas.ts';

export const RandomSearchDto = t.Object(
  {
    ...FILTER_FIELDS,
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
    withExif: Flag,
    withPeople: Flag,
    withStacked: Flag,
  },
  { title: 'RandomSearchDto' },
);
export type RandomSearch = typeof RandomSearchDto.static;

const Text = t.Optional(t.String({ maxLength: 1000 }));
const Instant = t.Optional(InputTimestamp);
const Ids = t.Array(Uuid, { maxItems: 1000 });
/** Query parameters cannot be null: the empty text and 'null' stand for it. */
const UuidOrNothing = t.String({ pattern: `${Uuid.pattern}|^(null)?$` });
const ImageEnrichmentFilter = stringEnum(['complete', 'partial', 'missing', 'failed'], {
  title: 'ImageEnrichmentFilter',
});

export const LargeAssetsParameters = t.Object(
  {
    albumIds: t.Optional(Ids),
    city: Text,
    country: Text,
    createdAfter: Instant,
    createdBefore: Instant,
    imageEnrichment: t.Optional(ImageEnrichmentFilter),
    isEncoded: QueryFlag,
    isFavorite: QueryFlag,
    isMotion: QueryFlag,
    isNotInAlbum: QueryFlag,
    isOffline: QueryFlag,
    lensModel: Text,
    libraryId: t.Optional(UuidOrNothing),
    make: Text,
    minFileSize: t.Optional(
      t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes' }),
    ),
    model: Text,
    ocr: Text,
    personIds: t.Optional(Ids),
    petIds: t.Optional(Ids),
    rating: t.Optional(t.Nullable(t.Integer({ minimum: 1, maximum: 5 }))),
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 250 })),
    state: Text,
    suppressedOnly: QueryFlag,
    tagIds: t.Optional(t.Array(UuidOrNothing, { maxItems: 1000 })),
    takenAfter: Instant,
    takenBefore: Instant,
    trashedAfter: Instant,
    trashedBefore: Instant,
    type: t.Optional(AssetTypeEnum),
    updatedAfter: Instant,
    updatedBefore: Instant,
    visibility: t.Optional(AssetVisibility),
    withDeleted: QueryFlag,
    withExif: QueryFlag,
  },
  deprecateAllBut(
    'imageEnrichment',
    'minFileSize',
    'size',
    'suppressedOnly',
    'withDeleted',
    'withExif',
  ),
);
export type LargeAssetsQuery = typeof LargeAssetsParameters.static;

const SearchSuggestionType = stringEnum(
  ['country', 'state', 'city', 'camera-make', 'camera-model', 'camera-lens-model'],
  { title: 'SearchSuggestionType' },
);
export const SuggestionsParameters = t.Object({
  type: SearchSuggestionType,
  country: Text,
  state: Text,
  make: Text,
  model: Text,
  lensModel: Text,
  includeNull: QueryFlag,
});
export type SuggestionsQuery = typeof SuggestionsParameters.static;
/** The last element may be null: items without a value. */
export const Suggestions = t.Array(t.Nullable(t.String()));

export const SearchExploreResponseDto = t.Object(
  {
    fieldName: t.String(),
    items: t.Array(
      t.Object({ value: t.String(), data: AssetResponseDto }, { title: 'SearchExploreItem' }),
    ),
  },
  { title: 'SearchExploreResponseDto' },
);

export const PlacesParameters = t.Object({ name: t.String({ minLength: 1, maxLength: 200 }) });
export const PlacesResponseDto = t.Object(
  {
    name: t.String(),
    latitude: t.Number(),
    longitude: t.Number(),
    admin1name: t.Optional(t.String()),
    admin2name: t.Optional(t.String()),
  },
  { title: 'PlacesResponseDto' },
);
export type FoundPlace = typeof PlacesResponseDto.static;

export const PersonParameters = t.Object({
  name: t.String({ minLength: 1, maxLength: 200 }),
  withHidden: QueryFlag,
});
