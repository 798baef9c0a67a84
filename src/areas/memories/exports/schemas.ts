import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';
import { MUSIC_TRACKS } from '../../../db/tables/studio.ts';
import { EXPORT_FORMATS, FILM_FORMATS } from './kind.ts';

const Kind = stringEnum(EXPORT_FORMATS, { title: 'MemoryExportKind' });
const Status = stringEnum(
  ['queued', 'running', 'cancelling', 'completed', 'failed', 'cancelled', 'expired'],
  { title: 'MemoryExportStatus' },
);
const Format = stringEnum(FILM_FORMATS, { title: 'MemoryFilmFormat' });
const Music = stringEnum(MUSIC_TRACKS, { title: 'FilmMusic' });
const Count = t.Integer({ minimum: 0 });
const Moment = t.Nullable(Timestamp);

export const MemoryExportsQuery = t.Object({ memoryId: t.Optional(Uuid) });

/** The whole body may be omitted. */
export const MemoryExportCreateDto = t.Object(
  {
    /** highlight-video unless given. */
    kind: t.Optional(Kind),
    /** The shape of a film: landscape unless given. */
    format: t.Optional(Format),
    /** Played below a film, and quieter while a video is heard; none unless given. */
    music: t.Optional(t.Nullable(Music)),
  },
  { title: 'MemoryExportCreateDto', default: {} },
);

/** The whole body may be omitted. */
export const MemoryFilmDto = t.Object(
  { format: t.Optional(Format), music: t.Optional(t.Nullable(Music)) },
  { title: 'MemoryFilmDto', default: {} },
);

export const MemoryExportResponseDto = t.Object(
  {
    canSaveToLibrary: t.Boolean(),
    createdAt: Timestamp,
    error: t.Nullable(t.String()),
    expiresAt: Moment,
    fileName: t.Nullable(t.String()),
    finishedAt: Moment,
    /** The shape of a film; null for an archive. */
    format: t.Nullable(Format),
    id: Uuid,
    isDownloadable: t.Boolean(),
    kind: Kind,
    libraryAssetId: t.Nullable(Uuid),
    memoryId: Uuid,
    music: t.Nullable(Music),
    processed: Count,
    sizeInBytes: t.Nullable(t.Integer()),
    skipped: Count,
    startedAt: Moment,
    status: Status,
    total: Count,
  },
  { title: 'MemoryExportResponseDto' },
);
export type MemoryExport = typeof MemoryExportResponseDto.static;
