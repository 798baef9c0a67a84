import { t } from 'elysia';
import { stringEnum, Uuid } from '../../../http/schemas.ts';
import { PersonResponseDto } from '../../people/index.ts';
import { COMPLETION_KINDS } from './complete.ts';

export const CompletionsParameters = t.Object({
  /** The text so far: names are completed at its end. */
  query: t.String({ maxLength: 500 }),
  /** The language of the names of labels and months. */
  language: t.Optional(t.String({ maxLength: 20 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 50, default: 8 })),
});
export type CompletionsFilter = typeof CompletionsParameters.static;

export const SearchCompletionDto = t.Object(
  {
    kind: stringEnum(COMPLETION_KINDS, { title: 'SearchCompletionKind' }),
    label: t.String(),
    /** Identifier of the person, pet, album or tag; none for places, labels, cameras and dates. */
    id: t.Optional(Uuid),
    person: t.Optional(PersonResponseDto),
    /** The query with the name in the place of what was typed of it. */
    text: t.String(),
  },
  { title: 'SearchCompletionDto' },
);
export type SearchCompletion = typeof SearchCompletionDto.static;
