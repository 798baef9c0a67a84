import { t } from 'elysia';
import { stringEnum, Uuid } from '../../../http/schemas.ts';
import { SORTS } from '../sorted/sorted.schemas.ts';

const SavedSearchChipDto = t.Object(
  {
    field: t.String({ minLength: 1, maxLength: 50 }),
    /** The condition as it is shown. */
    label: t.String({ maxLength: 300 }),
    /** The value of the field in a search. */
    value: t.Unknown(),
  },
  { title: 'SavedSearchChipDto' },
);

const SEARCH = {
  name: t.String({ minLength: 1, maxLength: 100 }),
  /** The words as written; they are understood anew each time. */
  words: t.String({ maxLength: 500 }),
  /** Conditions that were chosen besides. */
  chips: t.Array(SavedSearchChipDto, { maxItems: 30 }),
  sort: t.Optional(stringEnum(['best', ...SORTS], { title: 'SavedSearchSort' })),
};

export const SavedSearchCreateDto = t.Object(SEARCH, { title: 'SavedSearchCreateDto' });
export type SavedSearchCreate = typeof SavedSearchCreateDto.static;

export const SavedSearchDto = t.Object(
  { id: Uuid, ...SEARCH, createdAt: t.String({ format: 'date-time' }) },
  { title: 'SavedSearchDto' },
);
export type SavedSearch = typeof SavedSearchDto.static;
