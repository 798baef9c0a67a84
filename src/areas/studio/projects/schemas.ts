import { t } from 'elysia';
import { MUSIC_TRACKS, type StudioDocument } from '../../../db/tables/studio.ts';
import { MAX_INT32, stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

/** A time in seconds, exactly. */
export const RationalTimeDto = t.Object(
  {
    numerator: t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    denominator: t.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  },
  { title: 'RationalTimeDto', additionalProperties: false },
);

const Part = t.Number({ minimum: 0, maximum: 1 });
const Offset = t.Number({ minimum: -2, maximum: 2 });
const Color = t.String({ pattern: '^#[0-9a-fA-F]{6}$' });

const Crop = t.Object(
  { x: Part, y: Part, width: Part, height: Part },
  { additionalProperties: false },
);

const part = {
  assetId: Uuid,
  start: RationalTimeDto,
  duration: RationalTimeDto,
  sourceIn: RationalTimeDto,
  speed: t.Optional(RationalTimeDto),
  fadeIn: t.Optional(RationalTimeDto),
  fadeOut: t.Optional(RationalTimeDto),
  volume: t.Optional(t.Number({ minimum: 0, maximum: 4 })),
};

const StudioSoundDto = t.Object(part, { title: 'StudioSoundDto', additionalProperties: false });

const StudioMusicDto = t.Object(
  {
    track: stringEnum(MUSIC_TRACKS, { title: 'FilmMusic' }),
    volume: t.Optional(t.Number({ minimum: 0, maximum: 4 })),
  },
  { title: 'StudioMusicDto', additionalProperties: false },
);

const StudioClipDto = t.Object(
  {
    ...part,
    track: t.Integer({ minimum: 0, maximum: 31 }),
    fit: t.Optional(stringEnum(['contain', 'cover'])),
    still: t.Optional(t.Boolean()),
    crop: t.Optional(Crop),
    cropTo: t.Optional(Crop),
    easing: t.Optional(stringEnum(['smooth'])),
    surround: t.Optional(stringEnum(['blur'])),
    scale: t.Optional(t.Number({ minimum: 0.01, maximum: 16 })),
    x: t.Optional(Offset),
    y: t.Optional(Offset),
    rotation: t.Optional(t.Number({ minimum: -360, maximum: 360 })),
    opacity: t.Optional(Part),
    blur: t.Optional(t.Number({ minimum: 0, maximum: 0.2 })),
    brightness: t.Optional(t.Number({ minimum: 0, maximum: 2 })),
  },
  { title: 'StudioClipDto', additionalProperties: false },
);

const StudioTitleDto = t.Object(
  {
    text: t.String({ minLength: 1, maxLength: 500 }),
    start: RationalTimeDto,
    duration: RationalTimeDto,
    x: Part,
    y: Part,
    size: t.Number({ minimum: 0.01, maximum: 0.5 }),
    color: t.Optional(Color),
    align: t.Optional(stringEnum(['center', 'left'])),
    outline: t.Optional(t.Boolean()),
    fadeIn: t.Optional(RationalTimeDto),
    fadeOut: t.Optional(RationalTimeDto),
  },
  { title: 'StudioTitleDto', additionalProperties: false },
);

const StudioProjectDocument = t.Object(
  {
    width: t.Integer({ minimum: 16, maximum: 3840 }),
    height: t.Integer({ minimum: 16, maximum: 2160 }),
    frameRate: RationalTimeDto,
    background: t.Optional(Color),
    clips: t.Array(StudioClipDto, { maxItems: 1000 }),
    titles: t.Optional(t.Array(StudioTitleDto, { maxItems: 200 })),
    sounds: t.Optional(t.Array(StudioSoundDto, { maxItems: 200 })),
    music: t.Optional(StudioMusicDto),
  },
  { title: 'StudioProjectDocument', additionalProperties: false },
);

const Name = t.String({ maxLength: 255 });
/** Its members may watch, its editors may store; null: nobody else. */
const AlbumId = t.Optional(t.Nullable(Uuid));

export const StudioProjectCreateDto = t.Object(
  {
    name: Name,
    expectedRevision: t.Optional(t.Integer({ minimum: 0 })),
    albumId: AlbumId,
    document: t.Unsafe<StudioDocument>(StudioProjectDocument),
  },
  { title: 'StudioProjectCreateDto' },
);
export type ProjectCreate = typeof StudioProjectCreateDto.static;

export const StudioProjectWriteDto = t.Object(
  {
    name: t.Optional(Name),
    expectedRevision: t.Integer({ minimum: 0 }),
    albumId: AlbumId,
    document: StudioProjectDocument,
  },
  { title: 'StudioProjectWriteDto' },
);
export type ProjectWrite = typeof StudioProjectWriteDto.static;

export const StudioProjectDto = t.Object(
  {
    id: Uuid,
    ownerId: Uuid,
    name: t.String(),
    revision: t.Integer({ minimum: 1 }),
    document: t.Unsafe<StudioDocument>(StudioProjectDocument),
    albumId: t.Nullable(Uuid),
    /** Whether the caller may store revisions. */
    canEdit: t.Boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'StudioProjectDto' },
);
export type StudioProject = typeof StudioProjectDto.static;

export const StudioRevisionDto = t.Object(
  { revision: t.Integer({ minimum: 1 }), createdAt: Timestamp, createdBy: t.Nullable(Uuid) },
  { title: 'StudioRevisionDto' },
);

export const StudioRevisionDetailDto = t.Object(
  {
    revision: t.Integer({ minimum: 1 }),
    createdAt: Timestamp,
    createdBy: t.Nullable(Uuid),
    document: t.Unsafe<StudioDocument>(StudioProjectDocument),
  },
  { title: 'StudioRevisionDetailDto' },
);

export const RevisionParams = t.Object({ id: Uuid, revision: t.Integer({ minimum: 1 }) });
export const RevisionsQuery = t.Object({
  /** Only those before. */
  before: t.Optional(t.Integer({ minimum: 1, maximum: MAX_INT32 })),
  limit: t.Integer({ minimum: 1, maximum: 200, default: 50 }),
});
