import { invalidField } from '../../../core/errors.ts';
import type { MusicTrack } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { toInstant } from '../../assets/index.ts';
import type { OwnMemory } from '../visible.domain.ts';
import { type ExportFormat, type ExportOperation, type FilmFormat, getFormat } from './kind.ts';

/** The canvas of a film by its format. */
export const CANVASES = {
  landscape: { width: 1920, height: 1080 },
  portrait: { width: 1080, height: 1920 },
  square: { width: 1080, height: 1080 },
} as const satisfies Record<FilmFormat, Size>;

export type FilmOptions = {
  readonly format: FilmFormat;
  /** Undefined: only the sound of its videos. */
  readonly music: MusicTrack | undefined;
};

type Requested = { readonly format?: FilmFormat; readonly music?: MusicTrack | null };

export const toFilmOptions = ({ format = 'landscape', music }: Requested): FilmOptions => ({
  format,
  music: music ?? undefined,
});

/** Throws 400 for options of a film where none is made. */
export function requireFilm(kind: ExportFormat, { format, music }: Requested): void {
  if (kind === 'highlight-video') return;
  if (format !== undefined) throw invalidField('format', 'Only a film has a format');
  if (music !== undefined) throw invalidField('music', 'Only a film has music');
}

/** Returns the options as the run of a film has them. */
export const toPayload = ({ format, music }: FilmOptions) => ({ format, ...(music && { music }) });

/** Returns the options of a film; runs of earlier releases have none. */
export const getFilmOptions = ({ payload }: Pick<ExportOperation, 'payload'>): FilmOptions =>
  toFilmOptions(payload);

/** Whether two runs make the same film, or are no films. */
export const isSameFilm = (run: ExportOperation, options: FilmOptions): boolean =>
  getFormat(run) === 'archive' || Bun.deepEquals(getFilmOptions(run), options);

/** Returns noon, in UTC, of the day of a memory: files of videos tell no zone, and it is that day in nearly all. */
export const getFilmDate = ({ memoryAt }: Pick<OwnMemory, 'memoryAt'>): Date =>
  new Date(`${toInstant(memoryAt).slice(0, 10)}T12:00:00Z`);
