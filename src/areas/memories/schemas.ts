import { t } from 'elysia';
import { MEMORY_TYPES } from '../../db/tables/memories.ts';
import { InputTimestamp, QueryFlag, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

export const MemoryTypeSchema = stringEnum(MEMORY_TYPES, { title: 'MemoryType' });

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const Name = t.Nullable(t.String({ maxLength: 255 }));
const Description = t.Nullable(t.String({ maxLength: 2000 }));
const Year = t.Integer({ minimum: 1000, maximum: 9999 });
const OnThisDayDto = t.Object({ year: Year }, { title: 'OnThisDayDto' });
/** Empty for other types. */
const Data = t.Union([OnThisDayDto, t.Record(t.String(), t.Unknown())]);

export const MemoriesQuery = t.Object({
  /** A date or a timestamp: Immich's clients send either. */
  for: t.Optional(t.Union([t.String({ format: 'date' }), Timestamp])),
  id: t.Optional(Uuid),
  isHidden: QueryFlag,
  isSaved: QueryFlag,
  isTrashed: QueryFlag,
  isUpcoming: QueryFlag,
  order: t.Optional(
    stringEnum(['asc', 'desc', 'random'], { title: 'MemorySearchOrder', default: 'desc' }),
  ),
  page: t.Optional(t.Integer({ minimum: 1, maximum: MAX_INTEGER, default: 1 })),
  /** All of them unless given. */
  size: t.Optional(t.Integer({ minimum: 1, maximum: MAX_INTEGER })),
  type: t.Optional(MemoryTypeSchema),
  /** Also of types that Immich does not know: strict clients fail at them. */
  withAllTypes: QueryFlag,
});
export type MemoriesFilter = typeof MemoriesQuery.static;

export const MemoryCreateDto = t.Object(
  {
    assetIds: t.Optional(t.Array(Uuid, { maxItems: 65_000 })),
    /** Required for on_this_day: the year. */
    data: t.Optional(t.Object({ year: t.Optional(Year) })),
    description: t.Optional(Description),
    hideAt: t.Optional(InputTimestamp),
    isHidden: t.Optional(t.Boolean()),
    isSaved: t.Optional(t.Boolean()),
    /** Required for on_this_day; else now unless given. */
    memoryAt: t.Optional(InputTimestamp),
    name: t.Optional(Name),
    seenAt: t.Optional(InputTimestamp),
    showAt: t.Optional(InputTimestamp),
    /** May be omitted with a name or a description: custom. */
    type: t.Optional(MemoryTypeSchema),
  },
  { title: 'MemoryCreateDto' },
);
export type MemoryCreate = typeof MemoryCreateDto.static;

export const MemoryUpdateDto = t.Object(
  {
    description: t.Optional(Description),
    isHidden: t.Optional(t.Boolean()),
    isSaved: t.Optional(t.Boolean()),
    memoryAt: t.Optional(InputTimestamp),
    name: t.Optional(Name),
    seenAt: t.Optional(InputTimestamp),
  },
  { title: 'MemoryUpdateDto' },
);
export type MemoryUpdate = typeof MemoryUpdateDto.static;

export const MemoryResponseDto = t.Object(
  {
    assetCount: t.Integer({ minimum: 0 }),
    assets: t.Array(AssetResponseDto),
    createdAt: Timestamp,
    data: Data,
    deletedAt: t.Optional(Timestamp),
    description: t.Optional(Description),
    hideAt: t.Optional(Timestamp),
    id: Uuid,
    isHidden: t.Boolean(),
    isSaved: t.Boolean(),
    isUpcoming: t.Boolean(),
    memoryAt: Timestamp,
    name: t.Optional(Name),
    ownerId: Uuid,
    seenAt: t.Optional(Timestamp),
    showAt: t.Optional(Timestamp),
    type: MemoryTypeSchema,
    updatedAt: Timestamp,
  },
  { title: 'MemoryResponseDto' },
);
export type Memory = typeof MemoryResponseDto.static;

export const MemoryStatisticsResponseDto = t.Object(
  { total: t.Integer() },
  { title: 'MemoryStatisticsResponseDto' },
);

export const MemoryReadinessResponseDto = t.Object(
  {
    /** Why there may be no memory: switched off, nothing is there, models still look at it, or it is too little. */
    reason: stringEnum(['off', 'empty', 'analyzing', 'few'], { title: 'MemoryAbsence' }),
  },
  { title: 'MemoryReadinessResponseDto' },
);
export type MemoryReadiness = typeof MemoryReadinessResponseDto.static;
