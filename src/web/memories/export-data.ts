import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, get, getMessage, post, remove } from '../api.ts';
import { formatBytes, formatDate } from '../format.ts';
import { usePollingWhileOffline } from '../live-invalidation.ts';
import { mutate } from '../query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { MemoryExport, StudioProject } from '../types.ts';
import { t } from '../i18n.ts';

export type ExportKind = MemoryExport['kind'];

const POLLING_MS = 3000;

/** The exports of a memory, or of all, newest first. */
export const exportsQuery = (memoryId?: string) =>
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
export const createExport = (memoryId: string, kind: ExportKind): Promise<MemoryExport> =>
  mutate(() => post(`/memories/${memoryId}/exports`, { kind }), EXPORTS);
/** Creates a project of the studio with the film of a memory. */
export const openInStudio = (memoryId: string): Promise<StudioProject> =>
  mutate(() => post(`/memories/${memoryId}/studio`), { invalidates: [keys.studio] });
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
      return t('Cancelling …');
    case 'completed':
      return describeFile(run);
    case 'failed':
      return t('The export has failed.');
    case 'cancelled':
      return t('Cancelled');
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
