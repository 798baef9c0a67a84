import { t } from 'elysia';
import { stringEnum, QueryFlag, Uuid } from '../../http/schemas.ts';
import { BoundingBoxDto, PersonResponseDto } from '../people/index.ts';

const Coordinate = t.Integer();
const Count = t.Integer({ minimum: 0 });
const Revision = t.String({ minLength: 1, maxLength: 128 });

export const AssetFaceResponseDto = t.Object(
  {
    boundingBoxX1: Coordinate,
    boundingBoxX2: Coordinate,
    boundingBoxY1: Coordinate,
    boundingBoxY2: Coordinate,
    id: Uuid,
    imageHeight: Count,
    imageWidth: Count,
    person: t.Nullable(PersonResponseDto),
    sourceType: t.Optional(
      stringEnum(['machine-learning', 'exif', 'manual'], { title: 'SourceType' }),
    ),
    revision: t.Integer({ minimum: 1 }),
    sourceRevision: t.String(),
    isHidden: t.Boolean(),
  },
  { title: 'AssetFaceResponseDto' },
);
export type AssetFace = typeof AssetFaceResponseDto.static;

export const FacesQuery = t.Object({ id: Uuid, withHidden: QueryFlag });
export const FaceSourceQuery = t.Object({ id: Uuid });

const Size = t.Integer({ minimum: 1, maximum: 1_000_000 });
export const AssetFaceCreateDto = t.Object(
  {
    assetId: Uuid,
    height: t.Integer(),
    imageHeight: Size,
    imageWidth: Size,
    personId: t.Optional(t.Nullable(Uuid)),
    width: t.Integer(),
    x: t.Integer(),
    y: t.Integer(),
    expectedSourceRevision: t.Optional(Revision),
  },
  { title: 'AssetFaceCreateDto' },
);
export type FaceCreate = typeof AssetFaceCreateDto.static;

export const AssetFaceSourceResponseDto = t.Object(
  {
    assetId: Uuid,
    revision: Revision,
    imageWidth: t.Integer({ minimum: 1 }),
    imageHeight: t.Integer({ minimum: 1 }),
  },
  { title: 'AssetFaceSourceResponseDto' },
);
export type FaceSource = typeof AssetFaceSourceResponseDto.static;

export const AssetFaceDeleteDto = t.Object({ force: t.Boolean() }, { title: 'AssetFaceDeleteDto' });

export const AssetFaceCorrectionDto = t.Object(
  {
    expectedRevision: t.Integer({ minimum: 1 }),
    expectedSourceRevision: t.Optional(Revision),
    personId: t.Optional(t.Nullable(Uuid)),
    box: t.Optional(BoundingBoxDto),
    isHidden: t.Optional(t.Boolean()),
  },
  { title: 'AssetFaceCorrectionDto' },
);
export type FaceCorrection = typeof AssetFaceCorrectionDto.static;

export const FaceDto = t.Object({ id: Uuid }, { title: 'FaceDto' });
