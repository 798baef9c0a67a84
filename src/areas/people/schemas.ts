import { t } from 'elysia';
import { EMPTY_IS_NULL, PageNumber, QueryFlag, stringEnum, Uuid } from '../../http/schemas.ts';
import { RELATIONS } from './relations.ts';
import { AssetPersonDto } from '../assets/index.ts';

export const PersonResponseDto = AssetPersonDto;
export type Person = typeof PersonResponseDto.static;

// PostgreSQL keeps no NUL in text.
const Name = t.String({ maxLength: 1000, pattern: '^[^\\u0000]*$' });
const Color = t.String({
  pattern: '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$',
  ...EMPTY_IS_NULL,
});
const Day = t.String({ format: 'date', ...EMPTY_IS_NULL });
const Count = t.Integer({ minimum: 0 });

const PERSON_FIELDS = {
  birthDate: t.Optional(t.Nullable(Day)),
  color: t.Optional(t.Nullable(Color)),
  isFavorite: t.Optional(t.Boolean()),
  isHidden: t.Optional(t.Boolean()),
  name: t.Optional(Name),
};

export const PersonCreateDto = t.Object(PERSON_FIELDS, { title: 'PersonCreateDto' });
export type PersonCreate = typeof PersonCreateDto.static;

const UPDATE_FIELDS = { ...PERSON_FIELDS, featureFaceAssetId: t.Optional(Uuid) };
export const PersonUpdateDto = t.Object(UPDATE_FIELDS, { title: 'PersonUpdateDto' });
export type PersonUpdate = typeof PersonUpdateDto.static;

export const NamesRequestDto = t.Object(
  { assetIds: t.Array(Uuid, { maxItems: 1000 }) },
  { title: 'NamesRequestDto' },
);
export const AssetNamesDto = t.Object(
  { assetId: Uuid, names: t.Array(t.String()) },
  { title: 'AssetNamesDto' },
);
export type AssetNames = typeof AssetNamesDto.static;

export const PeopleUpdateDto = t.Object(
  {
    people: t.Array(t.Object({ id: Uuid, ...UPDATE_FIELDS }, { title: 'PeopleUpdateItem' }), {
      maxItems: 10_000,
    }),
  },
  { title: 'PeopleUpdateDto' },
);
export type PeopleUpdate = typeof PeopleUpdateDto.static;

export const PeopleQuery = t.Object({
  closestAssetId: t.Optional(Uuid),
  closestPersonId: t.Optional(Uuid),
  /** Only those who may be the same as the closest person, or be on the asset. */
  likelyOnly: QueryFlag,
  page: t.Optional(PageNumber),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 500 })),
  withHidden: QueryFlag,
});
export type PeopleFilter = typeof PeopleQuery.static;

export const PeopleResponseDto = t.Object(
  {
    hasNextPage: t.Optional(t.Boolean()),
    hidden: Count,
    people: t.Array(PersonResponseDto),
    total: Count,
  },
  { title: 'PeopleResponseDto' },
);
export type People = typeof PeopleResponseDto.static;

export const PersonStatisticsResponseDto = t.Object(
  { assets: Count },
  { title: 'PersonStatisticsResponseDto' },
);

export const PersonRelationDto = t.Object(
  {
    /** To the caller; null: not said. */
    relation: t.Nullable(stringEnum(RELATIONS, { title: 'PersonRelation' })),
  },
  { title: 'PersonRelationDto' },
);
export type PersonRelation = typeof PersonRelationDto.static;

export const MergePersonDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 1000 }) },
  { title: 'MergePersonDto' },
);

export const AssetFaceUpdateDto = t.Object(
  {
    data: t.Array(t.Object({ assetId: Uuid, personId: Uuid }, { title: 'AssetFaceUpdateItem' }), {
      maxItems: 10_000,
    }),
  },
  { title: 'AssetFaceUpdateDto' },
);
export type AssetFaceUpdate = typeof AssetFaceUpdateDto.static;

const PersonMergeVerdict = stringEnum(['same', 'different', 'later', 'ignore'], {
  title: 'PersonMergeVerdict',
});
export type MergeVerdict = typeof PersonMergeVerdict.static;

const Similarity = t.Number({ minimum: 0, maximum: 1 });
export const MergeSuggestionsResponseDto = t.Object(
  {
    suggestions: t.Array(
      t.Object(
        { first: PersonResponseDto, second: PersonResponseDto, similarity: Similarity },
        { title: 'MergeSuggestionDto' },
      ),
      { maxItems: 100 },
    ),
  },
  { title: 'MergeSuggestionsResponseDto' },
);
export type MergeSuggestions = typeof MergeSuggestionsResponseDto.static;

export const PersonMergeVerdictCreateDto = t.Object(
  {
    verdict: PersonMergeVerdict,
    firstPersonId: Uuid,
    secondPersonId: Uuid,
    personId: t.Optional(Uuid),
  },
  { title: 'PersonMergeVerdictCreateDto' },
);
export type VerdictCreate = typeof PersonMergeVerdictCreateDto.static;

export const PersonMergeVerdictDeleteDto = t.Object(
  { firstPersonId: Uuid, secondPersonId: Uuid },
  { title: 'PersonMergeVerdictDeleteDto' },
);
export type VerdictDelete = typeof PersonMergeVerdictDeleteDto.static;

const Instant = t.String({ format: 'date-time' });
export const PersonMergeVerdictResponseDto = t.Object(
  {
    verdict: PersonMergeVerdict,
    firstPersonId: Uuid,
    secondPersonId: Uuid,
    personId: t.Nullable(Uuid),
    mergedIntoPersonId: t.Nullable(Uuid),
    skipUntil: t.Nullable(Instant),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'PersonMergeVerdictResponseDto' },
);
export type Verdict = typeof PersonMergeVerdictResponseDto.static;

const Side = t.Integer({ minimum: 1, maximum: 1_000_000 });
const Place = t.Integer({ minimum: 0, maximum: 1_000_000 });
export const BoundingBoxDto = t.Object(
  { x: Place, y: Place, width: Side, height: Side, imageWidth: Side, imageHeight: Side },
  { title: 'BoundingBoxDto' },
);
export type BoundingBox = typeof BoundingBoxDto.static;

const UNDO_BLOCKS = [
  'face-gone',
  'original-changed',
  'box-changed',
  'person-changed',
  'person-gone',
  'already-undone',
] as const;
export type UndoBlock = (typeof UNDO_BLOCKS)[number];

export const PersonCorrectionDto = t.Object(
  {
    id: Uuid,
    kind: stringEnum(['moved-onto', 'moved-off', 'not-a-face', 'merge', 'box-moved'], {
      title: 'PersonCorrectionKind',
    }),
    createdAt: Instant,
    personId: t.Nullable(Uuid),
    previousPersonId: t.Nullable(Uuid),
    faceId: t.Nullable(Uuid),
    assetId: t.Nullable(Uuid),
    sourceRevision: t.Nullable(t.String()),
    box: t.Nullable(BoundingBoxDto),
    previousBox: t.Nullable(BoundingBoxDto),
    mergedPersonIds: t.Array(Uuid),
    affectedFaceCount: Count,
    canUndo: t.Boolean(),
    undoBlockedReason: t.Nullable(stringEnum(UNDO_BLOCKS, { title: 'CorrectionUndoBlock' })),
    undoneAt: t.Nullable(Instant),
  },
  { title: 'PersonCorrectionDto' },
);
export type Correction = typeof PersonCorrectionDto.static;

export const CorrectionsQuery = t.Object({
  page: t.Optional(PageNumber),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 25 })),
});
export type CorrectionsFilter = typeof CorrectionsQuery.static;

export const PersonCorrectionsResponseDto = t.Object(
  {
    items: t.Array(PersonCorrectionDto),
    total: Count,
    page: t.Integer(),
    size: t.Integer(),
    hasNextPage: t.Boolean(),
  },
  { title: 'PersonCorrectionsResponseDto' },
);
export type Corrections = typeof PersonCorrectionsResponseDto.static;
