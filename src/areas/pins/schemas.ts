import { t } from 'elysia';
import { PIN_KINDS } from '../../db/tables/preferences.ts';
import { stringEnum, Uuid } from '../../http/schemas.ts';

const PinnedCollectionKind = stringEnum(PIN_KINDS, { title: 'PinnedCollectionKind' });
const Revision = t.Integer({ minimum: 0 });

const PinnedCollectionDto = t.Object(
  {
    id: Uuid,
    kind: PinnedCollectionKind,
    /** Null when the target is gone or out of reach. */
    targetId: t.Nullable(Uuid),
    isAvailable: t.Boolean(),
    title: t.Optional(t.String()),
    count: t.Optional(t.Integer({ minimum: 0 })),
    coverAssetId: t.Optional(t.Nullable(Uuid)),
  },
  { title: 'PinnedCollectionDto' },
);

export const PinnedCollectionsResponseDto = t.Object(
  { revision: Revision, pins: t.Array(PinnedCollectionDto) },
  { title: 'PinnedCollectionsResponseDto' },
);
export type PinnedCollections = typeof PinnedCollectionsResponseDto.static;

const PinnedCollectionWriteDto = t.Object(
  {
    id: t.Optional(Uuid),
    kind: PinnedCollectionKind,
    targetId: t.Optional(t.Nullable(Uuid)),
  },
  { title: 'PinnedCollectionWriteDto' },
);
export type PinWrite = typeof PinnedCollectionWriteDto.static;

export const PinnedCollectionsUpdateDto = t.Object(
  { expectedRevision: Revision, pins: t.Array(PinnedCollectionWriteDto, { maxItems: 100 }) },
  { title: 'PinnedCollectionsUpdateDto' },
);
export type PinnedCollectionsUpdate = typeof PinnedCollectionsUpdateDto.static;
