import { t } from 'elysia';
import { PageNumber } from '../../../http/schemas.ts';
import { FILTER_FIELDS, Flag } from '../match/filter-fields.schemas.ts';
import {
  Count,
  LESS_CERTAIN,
  MetadataSearchDto,
  SearchAssetResponseDto,
  TEXT_FIELDS,
} from '../schemas.ts';

const Page = t.Optional(PageNumber);
const Size = t.Optional(t.Integer({ minimum: 1, maximum: 1000 }));

export const SmartSearchDto = t.Object(
  {
    ...FILTER_FIELDS,
    ...TEXT_FIELDS,
    page: Page,
    size: Size,
    withExif: Flag,
  },
  { title: 'SmartSearchDto' },
);
export type SmartSearch = typeof SmartSearchDto.static;

export const AskSearchDto = t.Object(
  {
    query: t.String({ minLength: 1, maxLength: 500 }),
    language: t.Optional(t.String({ maxLength: 20 })),
    ...LESS_CERTAIN,
    page: Page,
    size: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 250 })),
    withExif: Flag,
  },
  { title: 'AskSearchDto' },
);
export type AskSearch = typeof AskSearchDto.static;

const AskChipDto = t.Object(
  {
    field: t.String(),
    label: t.String(),
    value: t.Unknown(),
    source: t.String(),
    /** Offsets of the source in the query. */
    start: Count,
    end: Count,
  },
  { title: 'AskChipDto' },
);
const AskInterpretationDto = t.Object(
  {
    text: t.Nullable(t.String()),
    filter: MetadataSearchDto,
    chips: t.Array(AskChipDto),
    unresolved: t.Array(t.String()),
    engine: t.String(),
  },
  { title: 'AskInterpretationDto' },
);
export const AskSearchResponseDto = t.Object(
  { interpretation: AskInterpretationDto, assets: SearchAssetResponseDto },
  { title: 'AskSearchResponseDto' },
);
export type AskResponse = typeof AskSearchResponseDto.static;
