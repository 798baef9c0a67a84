import { type Static, Type } from 'typebox';
import { defineOperation } from '../../../operations/define.ts';
import { MUSIC_TRACKS } from '../../../db/tables/studio.ts';
import type { FileOperation } from '../../../operations/files.store.ts';
import { exportArchive, exportFilm } from './jobs.ts';

/** The shapes that a film may have. */
export const FILM_FORMATS = ['landscape', 'portrait', 'square'] as const;
export type FilmFormat = (typeof FILM_FORMATS)[number];

const Count = Type.Integer({ minimum: 0 });

const Payload = Type.Object({
  memoryId: Type.String(),
  /** Language of titles and captions, as 'pt-BR'. */
  language: Type.String(),
  /** The shape of a film; landscape in runs of earlier releases. */
  format: Type.Optional(Type.Enum([...FILM_FORMATS])),
  /** The music of a film; none by default. */
  music: Type.Optional(Type.Enum([...MUSIC_TRACKS])),
});

const Progress = Type.Object({
  processed: Count,
  /** Assets that were not available any more. */
  skipped: Count,
});

const shared = { payload: Payload, progress: Progress, start: { processed: 0, skipped: 0 } };

/** Exports of memories, by their format. */
export const exportKinds = {
  archive: defineOperation({ name: 'memory-archive', job: exportArchive, ...shared }),
  'highlight-video': defineOperation({ name: 'memory-film', job: exportFilm, ...shared }),
} as const;

export type ExportFormat = keyof typeof exportKinds;
export const EXPORT_FORMATS = ['archive', 'highlight-video'] as const satisfies ExportFormat[];
export const EXPORT_KINDS = Object.values(exportKinds);

export type ExportOperation = FileOperation<Static<typeof Payload>, Static<typeof Progress>>;

export const getFormat = ({ kind }: Pick<ExportOperation, 'kind'>): ExportFormat =>
  kind === exportKinds.archive.name ? 'archive' : 'highlight-video';
