import { t } from 'elysia';
import { stringEnum } from '../../../http/schemas.ts';

const StoragePlaceDto = t.Object(
  {
    originals: t.Integer({ minimum: 0 }),
    /** The size of the originals. */
    bytes: t.Integer({ minimum: 0 }),
    /** Thumbnails, converted videos and other files that are not originals. */
    others: t.Integer({ minimum: 0 }),
  },
  { title: 'StoragePlaceDto' },
);

export const StoragePlacesDto = t.Object(
  {
    /** The object store; null: all files are in the data folder. */
    store: t.Nullable(
      t.Object(
        {
          url: t.String(),
          /** Where `safelight storage move` moves files to; null: none runs. */
          movingTo: t.Nullable(stringEnum(['s3', 'files'], { title: 'StorageMoveTarget' })),
          files: StoragePlaceDto,
          objects: StoragePlaceDto,
        },
        { title: 'StorageMoveDto' },
      ),
    ),
  },
  { title: 'StoragePlacesDto' },
);
export type StoragePlaces = typeof StoragePlacesDto.static;
