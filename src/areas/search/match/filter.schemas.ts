import { t } from 'elysia';
import { InputTimestamp, LocalTimestamp, stringEnum, Uuid } from '../../../http/schemas.ts';
import { AssetTypeEnum, AssetVisibility, CAPTURE_TYPES } from '../../assets/index.ts';

// The filters of version 3.2: each field with its own comparisons, all of which must hold.

const Word = t.String({ maxLength: 1000 });
const WordOrNull = t.Nullable(Word);
const Words = t.Optional(t.Array(Word, { maxItems: 1000 }));
const Numbers = t.Optional(t.Array(t.Number(), { maxItems: 1000 }));
const Amount = t.Optional(t.Number());

const equality = { in: Words, notIn: Words };
const ranges = { gt: Amount, gte: Amount, lt: Amount, lte: Amount };
const numbers = { ...ranges, in: Numbers, notIn: Numbers };
const instants = (instant: typeof InputTimestamp) => ({
  gt: t.Optional(instant),
  gte: t.Optional(instant),
  lt: t.Optional(instant),
  lte: t.Optional(instant),
});
const optional = t.Optional(Word);
const optionalOrNull = t.Optional(WordOrNull);

const StringFilter = t.Object(
  { eq: optional, ne: optional, ...equality },
  { title: 'StringFilter', minProperties: 1 },
);
const StringFilterNullable = t.Object(
  { eq: optionalOrNull, ne: optionalOrNull, ...equality },
  { title: 'StringFilterNullable', minProperties: 1 },
);
const StringPatternFilter = t.Object(
  {
    eq: optionalOrNull,
    ne: optionalOrNull,
    ...equality,
    like: optional,
    notLike: optional,
    startsWith: optional,
    endsWith: optional,
  },
  { title: 'StringPatternFilter', minProperties: 1 },
);
const IdFilter = t.Object(
  { eq: t.Optional(Uuid), ne: t.Optional(Uuid) },
  { title: 'IdFilter', minProperties: 1 },
);
const IdFilterNullable = t.Object(
  { eq: t.Optional(t.Nullable(Uuid)), ne: t.Optional(t.Nullable(Uuid)) },
  { title: 'IdFilterNullable', minProperties: 1 },
);
const Ids = t.Optional(t.Array(Uuid, { maxItems: 1000 }));
const IdsFilter = t.Object(
  { all: Ids, any: Ids, none: Ids },
  { title: 'IdsFilter', minProperties: 1 },
);
const CaptureTypes = t.Optional(
  t.Array(stringEnum(CAPTURE_TYPES, { title: 'CaptureType' }), { maxItems: 100 }),
);
/** How items were made. */
const CaptureTypesFilter = t.Object(
  { all: CaptureTypes, any: CaptureTypes, none: CaptureTypes },
  { title: 'CaptureTypesFilter', minProperties: 1 },
);
const BoolFilter = t.Object({ eq: t.Boolean() }, { title: 'BoolFilter', minProperties: 1 });
const NumberFilter = t.Object(
  { eq: Amount, ne: Amount, ...numbers },
  { title: 'NumberFilter', minProperties: 1 },
);
const NumberFilterNullable = t.Object(
  { eq: t.Optional(t.Nullable(t.Number())), ne: t.Optional(t.Nullable(t.Number())), ...numbers },
  { title: 'NumberFilterNullable', minProperties: 1 },
);
const dateFilter = (title: string, instant: typeof InputTimestamp) =>
  t.Object(
    { eq: t.Optional(instant), ne: t.Optional(instant), ...instants(instant) },
    { title, minProperties: 1 },
  );
const DateFilter = dateFilter('DateFilter', InputTimestamp);
/** Also accepts local times without an offset, as 2022-12-24T00:00:00. */
const CaptureDateFilter = dateFilter('CaptureDateFilter', LocalTimestamp);
const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12]\\d|3[01])';
/** Months and days of any year, or of one, by the local clock: '08', '08-24', '2023-08-24'. At least one must hold. */
const AnnualFilter = t.Object(
  {
    in: t.Array(
      t.String({ pattern: `^(?:${MONTH}(?:-${DAY})?|(?:18|19|20)\\d\\d-${MONTH}-${DAY})$` }),
      {
        minItems: 1,
        maxItems: 1000,
      },
    ),
  },
  { title: 'AnnualFilter' },
);
const DateFilterNullable = t.Object(
  {
    eq: t.Optional(t.Nullable(InputTimestamp)),
    ne: t.Optional(t.Nullable(InputTimestamp)),
    ...instants(InputTimestamp),
  },
  { title: 'DateFilterNullable', minProperties: 1 },
);
const StringSimilarityFilter = t.Object(
  { matches: Word },
  { title: 'StringSimilarityFilter', minProperties: 1 },
);
const EnumFilterAssetType = t.Object(
  {
    eq: t.Optional(AssetTypeEnum),
    ne: t.Optional(AssetTypeEnum),
    in: t.Optional(t.Array(AssetTypeEnum, { maxItems: 100 })),
    notIn: t.Optional(t.Array(AssetTypeEnum, { maxItems: 100 })),
  },
  { title: 'EnumFilterAssetType', minProperties: 1 },
);
const EnumFilterAssetVisibility = t.Object(
  {
    eq: t.Optional(AssetVisibility),
    ne: t.Optional(AssetVisibility),
    in: t.Optional(t.Array(AssetVisibility, { maxItems: 100 })),
    notIn: t.Optional(t.Array(AssetVisibility, { maxItems: 100 })),
  },
  { title: 'EnumFilterAssetVisibility', minProperties: 1 },
);

const FIELDS = {
  albumIds: t.Optional(IdsFilter),
  checksum: t.Optional(StringFilter),
  city: t.Optional(StringFilterNullable),
  country: t.Optional(StringFilterNullable),
  createdAt: t.Optional(DateFilter),
  description: t.Optional(StringPatternFilter),
  /** Milliseconds. */
  duration: t.Optional(NumberFilterNullable),
  encodedVideoPath: t.Optional(StringFilter),
  fileSizeInBytes: t.Optional(NumberFilter),
  hasAlbums: t.Optional(BoolFilter),
  hasPeople: t.Optional(BoolFilter),
  hasTags: t.Optional(BoolFilter),
  id: t.Optional(IdFilter),
  /** No picture of the file could be made. */
  isBroken: t.Optional(BoolFilter),
  isDamaged: t.Optional(BoolFilter),
  /** By edits of this library. */
  isEdited: t.Optional(BoolFilter),
  isEncoded: t.Optional(BoolFilter),
  isFavorite: t.Optional(BoolFilter),
  isMotion: t.Optional(BoolFilter),
  isOffline: t.Optional(BoolFilter),
  /** The viewer's: not of a partner, nor uploaded by a guest. */
  isOwn: t.Optional(BoolFilter),
  lensModel: t.Optional(StringFilterNullable),
  libraryId: t.Optional(IdFilterNullable),
  make: t.Optional(StringFilterNullable),
  captureTypes: t.Optional(CaptureTypesFilter),
  model: t.Optional(StringFilterNullable),
  ocr: t.Optional(StringSimilarityFilter),
  originalFileName: t.Optional(StringPatternFilter),
  originalPath: t.Optional(StringPatternFilter),
  personIds: t.Optional(IdsFilter),
  petIds: t.Optional(IdsFilter),
  rating: t.Optional(NumberFilterNullable),
  state: t.Optional(StringFilterNullable),
  tagIds: t.Optional(IdsFilter),
  takenAt: t.Optional(CaptureDateFilter),
  takenOn: t.Optional(AnnualFilter),
  trashedAt: t.Optional(DateFilterNullable),
  type: t.Optional(EnumFilterAssetType),
  updatedAt: t.Optional(DateFilter),
  visibility: t.Optional(EnumFilterAssetVisibility),
};

const SearchFilterBranch = t.Object(FIELDS, { title: 'SearchFilterBranch' });
export type FilterBranch = typeof SearchFilterBranch.static;
/** `or`: at least one branch must hold too. */
export const SearchFilter = t.Object(
  { ...FIELDS, or: t.Optional(t.Array(SearchFilterBranch, { maxItems: 50 })) },
  { title: 'SearchFilter' },
);
export type Filter = typeof SearchFilter.static;
