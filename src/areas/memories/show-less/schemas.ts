import { t } from 'elysia';
import { isMonthDay } from '../../../core/dates.ts';
import { MEMORY_RULE_KINDS } from '../../../db/tables/memories.ts';
import { expected, stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';
import { MemoryTypeSchema } from '../schemas.ts';

const Kind = stringEnum(MEMORY_RULE_KINDS, { title: 'MemoryShowLessKind' });

const MonthDay = t.String({
  pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  ...expected('a day of a year (MM-DD)', isMonthDay),
});

/** Has exactly the member of its kind. */
export const MemoryShowLessDto = t.Object(
  {
    kind: Kind,
    personId: t.Optional(Uuid),
    petId: t.Optional(Uuid),
    date: t.Optional(MonthDay),
    memoryType: t.Optional(MemoryTypeSchema),
  },
  { title: 'MemoryShowLessDto' },
);
export type MemoryShowLess = typeof MemoryShowLessDto.static;

export const MemoryShowLessResponseDto = t.Object(
  {
    id: Uuid,
    kind: Kind,
    personId: t.Nullable(Uuid),
    petId: t.Nullable(Uuid),
    date: t.Nullable(t.String()),
    memoryType: t.Nullable(MemoryTypeSchema),
    createdAt: Timestamp,
  },
  { title: 'MemoryShowLessResponseDto' },
);
export type MemoryRule = typeof MemoryShowLessResponseDto.static;
