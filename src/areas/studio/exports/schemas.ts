import { t } from 'elysia';
import { FILE_DESTINATIONS } from '../../../db/tables/operations.ts';
import { RENDER_STATES } from '../../../db/tables/studio.ts';
import { stringEnum, Timestamp, Uuid, Uuid7 } from '../../../http/schemas.ts';

const { Nullable } = t;
const Destination = stringEnum(FILE_DESTINATIONS, { title: 'StudioExportDestination' });
const Pixels = t.Integer({ minimum: 2 });

export const StudioExportCreateDto = t.Object(
  {
    /** The current one. */
    revision: t.Integer({ minimum: 1 }),
    destination: Destination,
    /** Pixels of the film, rounded to an even number; those of the canvas by default, and at most. */
    height: t.Optional(t.Integer({ minimum: 16, maximum: 2160 })),
  },
  { title: 'StudioExportCreateDto' },
);
export type ExportCreate = typeof StudioExportCreateDto.static;

export const StudioExportDto = t.Object(
  {
    id: Uuid7,
    projectId: Uuid,
    revision: t.Integer({ minimum: 1 }),
    destination: Destination,
    width: Pixels,
    height: Pixels,
    state: stringEnum(RENDER_STATES, { title: 'StudioExportState' }),
    progress: t.Number({ minimum: 0, maximum: 1 }),
    error: Nullable(t.String()),
    /** Item without which the film could not be made, by the id that the project has for it. */
    unavailableAssetId: Nullable(Uuid),
    sizeInBytes: Nullable(t.Integer()),
    /** Item that the film became. */
    assetId: Nullable(Uuid),
    /** When the file is deleted; null where there is none. */
    expiresAt: Nullable(Timestamp),
    createdAt: Timestamp,
    endedAt: Nullable(Timestamp),
  },
  { title: 'StudioExportDto' },
);
export type StudioExport = typeof StudioExportDto.static;

export const ExportParams = t.Object({ id: Uuid7 });
