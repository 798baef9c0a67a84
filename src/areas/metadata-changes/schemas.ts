import { t } from 'elysia';
import { Timestamp, Uuid } from '../../http/schemas.ts';

/** Assets of one change; the page sends more in several. */
export const MAX_ASSETS = 5000;
const MINUTES_PER_CENTURY = 52_596_000;

const Zone = t.String({ minLength: 1, maxLength: 64 });

const DateSetDto = t.Object(
  {
    kind: t.Literal('set'),
    /** 'YYYY-MM-DD'; without it each keeps its day. */
    day: t.Optional(t.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
    /** 'HH:MM' or 'HH:MM:SS'; without it each keeps its time. */
    time: t.Optional(t.String({ pattern: '^\\d\\d:\\d\\d(:\\d\\d)?$' })),
    /** Where the clock was; without it each keeps its zone. */
    timeZone: t.Optional(Zone),
  },
  { title: 'MetadataDateSetDto' },
);
const DateShiftDto = t.Object(
  {
    kind: t.Literal('shift'),
    /** Added to the clock of each. */
    minutes: t.Integer({ minimum: -MINUTES_PER_CENTURY, maximum: MINUTES_PER_CENTURY }),
  },
  { title: 'MetadataDateShiftDto' },
);
const DateZoneDto = t.Object(
  {
    kind: t.Literal('zone'),
    timeZone: Zone,
    /** 'clock': the clock shows the same and the instant moves; 'instant': the other way round. */
    keeps: t.Union([t.Literal('clock'), t.Literal('instant')]),
  },
  { title: 'MetadataDateZoneDto' },
);
const DateCopyDto = t.Object(
  { kind: t.Literal('copy'), assetId: Uuid },
  { title: 'MetadataDateCopyDto' },
);
const PlaceSetDto = t.Object(
  {
    kind: t.Literal('set'),
    latitude: t.Number({ minimum: -90, maximum: 90 }),
    longitude: t.Number({ minimum: -180, maximum: 180 }),
  },
  { title: 'MetadataPlaceSetDto' },
);
const PlaceCopyDto = t.Object(
  { kind: t.Literal('copy'), assetId: Uuid },
  { title: 'MetadataPlaceCopyDto' },
);
const PlaceRemoveDto = t.Object({ kind: t.Literal('remove') }, { title: 'MetadataPlaceRemoveDto' });

export const MetadataChangeDto = t.Object(
  {
    assetIds: t.Array(Uuid, { minItems: 1, maxItems: MAX_ASSETS }),
    /** Dates and places of the other items in their stacks change, too. */
    withStacks: t.Optional(t.Boolean()),
    date: t.Optional(t.Union([DateSetDto, DateShiftDto, DateZoneDto, DateCopyDto])),
    place: t.Optional(t.Union([PlaceSetDto, PlaceCopyDto, PlaceRemoveDto])),
    /** -1: rejected; null or 0: none. */
    rating: t.Optional(t.Nullable(t.Integer({ minimum: -1, maximum: 5 }))),
    description: t.Optional(t.String({ maxLength: 100_000, pattern: '^[^\\u0000]*$' })),
  },
  { title: 'MetadataChangeDto' },
);
export type MetadataChange = typeof MetadataChangeDto.static;
export type DateChange = NonNullable<MetadataChange['date']>;
export type PlaceChange = NonNullable<MetadataChange['place']>;

const Text = t.Nullable(t.String());
const ValuesDto = t.Object(
  {
    /** The clock where it was taken, as if it were UTC. */
    localDateTime: Timestamp,
    timeZone: Text,
    latitude: t.Nullable(t.Number()),
    longitude: t.Nullable(t.Number()),
    city: Text,
    state: Text,
    country: Text,
    rating: t.Nullable(t.Integer()),
    description: t.String(),
  },
  { title: 'MetadataValuesDto' },
);
export type ShownValues = typeof ValuesDto.static;

const Count = t.Integer({ minimum: 0 });

export const MetadataPreviewResponseDto = t.Object(
  {
    /** Items that would change, with those that go with them. */
    changed: Count,
    /** Halves of live photos and, if asked for, members of stacks. */
    parts: Count,
    /** Members of the stacks of these items, whether asked for or not. */
    stacked: Count,
    examples: t.Array(
      t.Object(
        { assetId: Uuid, originalFileName: t.String(), before: ValuesDto, after: ValuesDto },
        { title: 'MetadataExampleDto' },
      ),
    ),
  },
  { title: 'MetadataPreviewResponseDto' },
);
export type Preview = typeof MetadataPreviewResponseDto.static;

export const MetadataChangeResponseDto = t.Object(
  { id: Uuid, changed: Count },
  { title: 'MetadataChangeResponseDto' },
);
export type ChangeResponse = typeof MetadataChangeResponseDto.static;

export const MetadataUndoResponseDto = t.Object(
  {
    restored: Count,
    /** Left as they are, since they have changed since. */
    kept: Count,
  },
  { title: 'MetadataUndoResponseDto' },
);
export type UndoResponse = typeof MetadataUndoResponseDto.static;
