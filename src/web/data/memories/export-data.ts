import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, get, getMessage, post, remove } from '../../base/api.ts';
import { formatBytes, formatDate } from '../../base/format.ts';
import { usePollingWhileOffline } from '../live-invalidation.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { MusicTrack } from '../studio/music.ts';
import type { Memory, MemoryExport, StudioProject } from '../types.ts';
import { getIntlTags, t } from '../../base/i18n.ts';

export type ExportKind = MemoryExport['kind'];
export type FilmFormat = NonNullable<MemoryExport['format']>;

/** How a film is made; `music` is null for none. */
export type FilmOptions = { format: FilmFormat; music: MusicTrack | null };

/** Whether there is anything to hear without music. */
const hasSound = ({ assets }: Memory): boolean => assets.some(({ type }) => type === 'VIDEO');

/** Returns the options that are suggested: music for a memory that would be silent. */
export const suggestOptions = (memory: Memory): FilmOptions => ({
  format: 'landscape',
  music: hasSound(memory) ? null : 'calm',
});

/** Says what can be heard in a film. */
export function describeSound(memory: Memory, { music }: FilmOptions): string {
  if (hasSound(memory))
    return music ? t('The music is quieter while a video is heard.') : t('The videos are heard.');
  return music
    ? t('Only the music is heard: there are no videos in this memory.')
    : t('The film is silent: there are no videos in this memory. Choose music to hear something.');
}

/** Names the day that a film of the memory is dated at. */
export const formatFilmDate = ({ memoryAt }: Memory): string =>
  new Date(memoryAt).toLocaleDateString(getIntlTags(), { dateStyle: 'long', timeZone: 'UTC' });

const POLLING_MS = 3000;

/** The exports of a memory, or of all, newest first. */
const exportsQuery = (memoryId?: string) =>
  queryOptions({
    queryKey: [...keys.memoryExports, 'list', memoryId],
    queryFn: () => get<MemoryExport[]>('/memories/exports', { memoryId }),
  });

/** The exports of a memory, or of all, and how far they have come. */
export function useExports(memoryId?: string) {
  const pollingMs = usePollingWhileOffline(POLLING_MS);
  return useQuery({
    ...exportsQuery(memoryId),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? pollingMs : false),
  });
}

const EXPORTS = { invalidates: [keys.memoryExports] };

/** Starts an export; while one of this kind is not over, there is no other. */
export const createExport = (
  memoryId: string,
  order: { kind: ExportKind } & Partial<FilmOptions>,
): Promise<MemoryExport> => mutate(() => post(`/memories/${memoryId}/exports`, order), EXPORTS);
/** Creates a project of the studio with the film of a memory. */
export const openInStudio = (memoryId: string, options: FilmOptions): Promise<StudioProject> =>
  mutate(() => post(`/memories/${memoryId}/studio`, options), { invalidates: [keys.studio] });
export const cancelExport = (id: string): Promise<MemoryExport> =>
  mutate(() => post(`/memories/exports/${id}/cancel`), EXPORTS);
export const deleteExport = (id: string): Promise<void> =>
  mutate(() => remove(`/memories/exports/${id}`), EXPORTS);
export const saveToLibrary = (id: string): Promise<MemoryExport> =>
  mutate(() => post(`/memories/exports/${id}/library`), {
    invalidates: [keys.memoryExports, ...PHOTOS],
  });

/** Page of the player with the exports of the memory open. */
export const getExportsPath = (memoryId: string): string => `/memories/${memoryId}?exports`;

const ACTIVE: readonly MemoryExport['status'][] = ['queued', 'running', 'cancelling'];
export const isActive = ({ status }: MemoryExport): boolean => ACTIVE.includes(status);

/** From 0 to 1; undefined while it cannot be told. */
export function computeProgress(run: MemoryExport): number | undefined {
  const { status, processed, skipped, total } = run;
  return status === 'running' && total > 0 ? (processed + skipped) / total : undefined;
}

/** Words the state of an export. */
export function describeExport(run: MemoryExport): string {
  const { status, processed, skipped, total } = run;
  const done = processed + skipped;
  switch (status) {
    case 'queued':
      return t('Waiting to start …');
    case 'running':
      if (done >= total) return t('Finishing …');
      return t('{done} of {total} pictures', { done, total });
    case 'cancelling':
      return t('Canceling …');
    case 'completed':
      return describeFile(run);
    case 'failed':
      return t('The export has failed.');
    case 'cancelled':
      return t('Canceled');
    case 'expired':
      return t('Expired: export it again to download it.');
  }
}

function describeFile({ sizeInBytes, expiresAt, skipped }: MemoryExport): string {
  const parts = [
    sizeInBytes !== null && formatBytes(sizeInBytes),
    expiresAt && t('available until {date}', { date: formatDate(expiresAt) }),
    skipped > 0 &&
      t('{skipped, plural, one {# picture was missing} other {# pictures were missing}}', {
        skipped,
      }),
  ];
  return parts.filter(Boolean).join(' · ');
}

const INSUFFICIENT_STORAGE = 507;

/** Returns why an export could not be started, in the words of the page where it has some. */
export const describeRefusal = (error: unknown): string =>
  error instanceof ApiError && error.status === INSUFFICIENT_STORAGE
    ? t('The server has too little free disk space for this export.')
    : getMessage(error);
