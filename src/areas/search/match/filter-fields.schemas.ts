import { t } from 'elysia';
import { InputTimestamp, Uuid } from '../../../http/schemas.ts';
import { AssetTypeEnum, AssetVisibility } from '../../assets/index.ts';
import { SearchFilter } from './filter.schemas.ts';

export const Word = t.Optional(t.String({ maxLength: 1000 }));
/** Null matches items without a value. */
const WordOrNull = t.Optional(t.Nullable(t.String({ maxLength: 1000 })));
const Instant = t.Optional(InputTimestamp);
export const Flag = t.Optional(t.Boolean());
const Ids = t.Array(Uuid, { maxItems: 1000 });

/** Filter members shared by all search operations. */
export const FILTER_FIELDS = {
  albumIds: t.Optional(Ids),
  checksum: Word,
  city: WordOrNull,
  country: WordOrNull,
  createdAfter: Instant,
  createdBefore: Instant,
  description: Word,
  encodedVideoPath: Word,
  filter: t.Optional(SearchFilter),
  id: t.Optional(Uuid),
  /** Only a part of the file can be shown. */
  isDamaged: Flag,
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
  originalFileName: Word,
  originalPath: Word,
  personIds: t.Optional(Ids),
  previewPath: Word,
  rating: t.Optional(t.Nullable(t.Integer({ minimum: 1, maximum: 5 }))),
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
  /** Without a visibility: whether the archive is searched too. */
  withArchived: Flag,
  withDeleted: Flag,
};
const FilterFieldsDto = t.Object(FILTER_FIELDS);
export type FilterFields = typeof FilterFieldsDto.static;
