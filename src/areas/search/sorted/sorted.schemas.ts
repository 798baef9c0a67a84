import { t } from 'elysia';
import { stringEnum } from '../../../http/schemas.ts';
import { FILTER_FIELDS, Flag } from '../match/filter-fields.schemas.ts';
import { LESS_CERTAIN, TEXT_FIELDS } from '../schemas.ts';

/** Days are of the local clock; what was added is by the time of the upload. */
export const SORTS = ['newest', 'oldest', 'recentlyAdded'] as const;

export const SortedSearchDto = t.Object(
  {
    ...FILTER_FIELDS,
    ...TEXT_FIELDS,
    ...LESS_CERTAIN,
    sort: t.Optional({ ...stringEnum(SORTS, { title: 'SearchSort' }), default: 'newest' as const }),
    cursor: t.Optional(t.String({ maxLength: 200 })),
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 250 })),
    withExif: Flag,
  },
  { title: 'SortedSearchDto' },
);
export type SortedSearch = typeof SortedSearchDto.static;
