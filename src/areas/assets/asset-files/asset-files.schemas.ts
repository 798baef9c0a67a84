import { t } from 'elysia';
import { QueryFlag, stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

const AssetFileType = stringEnum(['fullsize', 'preview', 'thumbnail', 'sidecar', 'encoded_video'], {
  title: 'AssetFileType',
});

export const AssetFileQuery = t.Object({
  assetId: Uuid,
  isEdited: QueryFlag,
  isProgressive: QueryFlag,
  isTransparent: QueryFlag,
  type: t.Optional(AssetFileType),
});
export type AssetFileFilter = typeof AssetFileQuery.static;

export const AssetFileResponseDto = t.Object(
  {
    createdAt: Timestamp,
    id: Uuid,
    isEdited: t.Boolean(),
    isProgressive: t.Boolean(),
    isTransparent: t.Boolean(),
    /** In the folder of derived files. */
    path: t.String(),
    type: AssetFileType,
    updatedAt: Timestamp,
  },
  { title: 'AssetFileResponseDto' },
);
export type AssetFile = typeof AssetFileResponseDto.static;
