import { queryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  IntegrityReportPage,
  IntegrityRuns,
  IntegritySummary,
  IntegrityType,
} from '../types.ts';
import { t } from '../../base/i18n.ts';

/** No event tells what the checks do. */
const RUNS_MS = 2000;

export const CHECKS: readonly {
  readonly type: IntegrityType;
  /** Manual job, and the beginning of the names of its other jobs. */
  readonly job: string;
  readonly title: string;
  readonly text: string;
}[] = [
  {
    type: 'missing_file',
    job: 'integrity-missing-files',
    title: t('Missing files'),
    text: t('Photos and videos whose file is gone'),
  },
  {
    type: 'checksum_mismatch',
    job: 'integrity-checksum-mismatch',
    title: t('Damaged files'),
    text: t('Photos and videos whose file has changed'),
  },
  {
    type: 'untracked_file',
    job: 'integrity-untracked-files',
    title: t('Untracked files'),
    text: t('Files in the data folder that belong to no photo'),
  },
];

export const integrityRunsQuery = () =>
  queryOptions({
    queryKey: [...keys.integrity, 'runs'],
    queryFn: () => get<IntegrityRuns>('/admin/integrity/runs'),
    refetchInterval: RUNS_MS,
  });

export const integritySummaryQuery = () =>
  queryOptions({
    queryKey: [...keys.integrity, 'summary'],
    queryFn: () => get<IntegritySummary>('/admin/integrity/summary'),
    refetchInterval: RUNS_MS,
  });

/** `count` is part of the key: a report whose count has changed is read again. */
export const integrityReportQuery = (type: IntegrityType, limit: number, count: number) =>
  queryOptions({
    queryKey: [...keys.integrity, 'report', type, limit, count],
    queryFn: () => get<IntegrityReportPage>('/admin/integrity/report', { type, limit }),
  });

const INTEGRITY = { invalidates: [keys.integrity, keys.jobs] };

export const startIntegrityJob = (name: string): Promise<unknown> =>
  mutate(() => post('/jobs', { name }), INTEGRITY);
export const deleteEntry = (id: string): Promise<unknown> =>
  mutate(() => remove(`/admin/integrity/report/${id}`), INTEGRITY);
/** From an external library or a backup folder: fails when no copy has the right bytes. */
export const repairEntry = (id: string): Promise<unknown> =>
  mutate(() => post(`/admin/integrity/report/${id}/repair`), INTEGRITY);
