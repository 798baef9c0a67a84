import { useQuery } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { formatBytes, formatDate } from '../../base/format.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { StudioExport, StudioExportCreate } from '../types.ts';
import { t } from '../../base/i18n.ts';

const POLLING_MS = 1000;

export const isActive = ({ state }: StudioExport): boolean =>
  state === 'queued' || state === 'rendering';

/** The caller's exports of a project, newest first, and how far they have come. */
export const useExports = (projectId: string) =>
  useQuery({
    queryKey: [...keys.studio, 'exports', projectId],
    queryFn: () => get<StudioExport[]>(`/studio/projects/${projectId}/exports`),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLLING_MS : false),
  });

const EXPORTS = { invalidates: [[...keys.studio, 'exports'], ...PHOTOS] };

export const createExport = (projectId: string, order: StudioExportCreate): Promise<StudioExport> =>
  mutate(() => post<StudioExport>(`/studio/projects/${projectId}/exports`, order), EXPORTS);
/** Cancels an export, or deletes one that is over. */
export const deleteExport = (id: string): Promise<void> =>
  mutate(() => remove(`/studio/exports/${id}`), EXPORTS);

/** Words the state of an export. */
export function describeExport(run: StudioExport): string {
  const { state, progress, sizeInBytes, expiresAt } = run;
  switch (state) {
    case 'queued':
      return t('Waiting to start …');
    case 'rendering':
      return t('{percent} % done', { percent: Math.floor(progress * 100) });
    case 'ready':
      return [
        sizeInBytes !== null && formatBytes(sizeInBytes),
        expiresAt
          ? t('available until {date}', { date: formatDate(expiresAt) })
          : t('Saved to your library'),
      ]
        .filter(Boolean)
        .join(' · ');
    case 'failed':
      return t('The export has failed.');
    case 'cancelled':
      return t('Canceled');
  }
}
