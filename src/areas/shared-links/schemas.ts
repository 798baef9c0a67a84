import { t } from 'elysia';
import { MAX_PASSWORD_LENGTH } from '../../access/secrets.ts';
import { InputTimestamp, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import { AlbumResponseDto } from '../albums/index.ts';
import { AssetResponseDto } from '../assets/index.ts';

const LinkType = stringEnum(['ALBUM', 'INDIVIDUAL'], { title: 'SharedLinkType' });

const HidesPlaces = t.Boolean({
  description:
    'Hides from guests where items were taken: no places, no map, and no originals, which contain them.',
});

export const SharedLinkResponseDto = t.Object(
  {
    id: Uuid,
    userId: Uuid,
    type: LinkType,
    key: t.String(),
    slug: t.Nullable(t.String()),
    description: t.Nullable(t.String()),
    /** Mask, never the password itself. */
    password: t.Nullable(t.String()),
    expiresAt: t.Nullable(Timestamp),
    allowDownload: t.Boolean(),
    allowUpload: t.Boolean(),
    showMetadata: t.Boolean(),
    /** Present when it is true. */
    hidesPlaces: t.Optional(HidesPlaces),
    createdAt: Timestamp,
    album: t.Optional(AlbumResponseDto),
    assets: t.Array(AssetResponseDto),
  },
  { title: 'SharedLinkResponseDto' },
);
export type SharedLink = typeof SharedLinkResponseDto.static;

// PostgreSQL cannot store NUL in a text.
const TEXT = '^[^\\u0000]*$';
const Text = (maxLength: number) => t.Nullable(t.String({ maxLength, pattern: TEXT }));
/** Encoded in the address; those of one or two dots would lead to another path. */
const Slug = t.Nullable(t.String({ maxLength: 200, pattern: '^(?!\\.{1,2}$)[^\\u0000]*$' }));

const EDITABLE = {
  allowDownload: t.Optional(t.Boolean()),
  allowUpload: t.Optional(t.Boolean()),
  description: t.Optional(Text(10_000)),
  expiresAt: t.Optional(t.Nullable(InputTimestamp)),
  password: t.Optional(Text(MAX_PASSWORD_LENGTH)),
  showMetadata: t.Optional(t.Boolean()),
  hidesPlaces: t.Optional(HidesPlaces),
  slug: t.Optional(Slug),
};

export const SharedLinkCreateDto = t.Object(
  {
    ...EDITABLE,
    allowDownload: t.Optional(t.Boolean({ default: true })),
    expiresAt: t.Optional({ ...t.Nullable(InputTimestamp), default: null }),
    showMetadata: t.Optional(t.Boolean({ default: true })),
    type: LinkType,
    albumId: t.Optional(Uuid),
    assetIds: t.Optional(t.Array(Uuid, { maxItems: 65_000 })),
  },
  { title: 'SharedLinkCreateDto' },
);
export type LinkCreate = typeof SharedLinkCreateDto.static;

export const SharedLinkEditDto = t.Object(EDITABLE, { title: 'SharedLinkEditDto' });
export type LinkEdit = typeof SharedLinkEditDto.static;

export const SharedLinkQuery = t.Object({ albumId: t.Optional(Uuid), id: t.Optional(Uuid) });
export type LinkFilter = typeof SharedLinkQuery.static;

/** Visits and downloads of a link; nothing tells by whom. */
export const SharedLinkStatisticsDto = t.Object(
  {
    linkId: Uuid,
    openedCount: t.Integer({ minimum: 0, description: 'Visits of the page of the link' }),
    downloadedCount: t.Integer({
      minimum: 0,
      description: 'Files and archives that guests asked for',
    }),
    lastOpenedAt: t.Nullable(Timestamp),
  },
  { title: 'SharedLinkStatisticsDto' },
);
export type SharedLinkStatistics = typeof SharedLinkStatisticsDto.static;

export const SharedLinkOwnerDto = t.Object({ name: t.String() }, { title: 'SharedLinkOwnerDto' });

export const SharedLinkLoginDto = t.Object(
  { password: t.String({ maxLength: MAX_PASSWORD_LENGTH }) },
  { title: 'SharedLinkLoginDto' },
);

export const AssetIdsDto = t.Object(
  { assetIds: t.Array(Uuid, { maxItems: 65_000 }) },
  { title: 'AssetIdsDto' },
);

export const AssetIdsResponseDto = t.Object(
  {
    assetId: Uuid,
    success: t.Boolean(),
    error: t.Optional(
      stringEnum(['duplicate', 'no_permission', 'not_found'], { title: 'AssetIdErrorReason' }),
    ),
  },
  { title: 'AssetIdsResponseDto' },
);
export type AssetIdResult = typeof AssetIdsResponseDto.static;
