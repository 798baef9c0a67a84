import type { JobRun, JobRunItem } from '../types.ts';
import { QUEUES } from './queue-titles.ts';
import { t } from '../i18n.ts';

export const RUN_PAGE = 25;

export const STATUSES: Readonly<Record<JobRun['status'], string>> = {
  queued: t('Waiting'),
  running: t('Running'),
  paused: t('Held'),
  completed: t('Completed'),
  failed: t('Failed'),
  cancelled: t('Cancelled'),
};

export const ITEM_STATUSES: Readonly<Record<JobRunItem['status'], string>> = {
  queued: t('Waiting'),
  running: t('Running'),
  succeeded: t('Done'),
  failed: t('Failed'),
  skipped: t('Skipped'),
};

export const TRIGGERS: Readonly<Record<JobRun['trigger'], string>> = {
  manual: t('Started by hand'),
  schedule: t('Started by the clock'),
  upload: t('Started by an upload'),
  system: t('Started by the server'),
};

const describeIntegrityJobs = (name: string, title: string) => ({
  [name]: title,
  [`${name}-refresh`]: `${title} · ${t('Look again at these')}`,
  [`${name}-delete-all`]: `${title} · ${t('Delete all')}`,
});

const MANUAL_JOBS: Readonly<Record<string, string>> = {
  'backup-database': t('Back up the database'),
  'databaseBackups.backUpDatabase': t('Back up the database'),
  'databaseBackups.dropReplacedDatabases': t('Delete replaced databases'),
  'integrity.checkMissing': t('Missing files'),
  'integrity.checkChecksums': t('Damaged files'),
  'integrity.checkUntracked': t('Untracked files'),
  ...describeIntegrityJobs('integrity-missing-files', t('Missing files')),
  ...describeIntegrityJobs('integrity-checksum-mismatch', t('Damaged files')),
  ...describeIntegrityJobs('integrity-untracked-files', t('Untracked files')),
  'document-refresh': t('Read documents again'),
  'memory-cleanup': t('Clean up memories'),
  'memory-create': t('Create memories'),
  'person-cleanup': t('Remove people without photos'),
  'physical-deduplication-apply': t('Apply the deduplication plan'),
  'physical-deduplication-preview': t('Look for copies'),
  'tag-cleanup': t('Remove unused tags'),
  'user-cleanup': t('Remove deleted accounts'),
  'video-enrichment-refresh': t('Describe videos again'),
  'workflow-backfill': t('Run a workflow for existing photos'),
};

/** A run is called after a job started by hand, a queue, or a job by its technical name. */
export const getRunName = ({ name }: Pick<JobRun, 'name'>): string =>
  MANUAL_JOBS[name] ?? (QUEUES as Readonly<Record<string, { title: string }>>)[name]?.title ?? name;

/** Returns how far a run has come, 0..1; undefined while its items are being counted. */
export const computeProgress = ({ total, processed }: JobRun): number | undefined =>
  total === null ? undefined : total === 0 ? 1 : processed / total;

export const describeProgress = (run: JobRun): string =>
  [
    run.total === null
      ? t('{processed} done, counting …', { processed: run.processed })
      : t('{processed} of {total} items', { processed: run.processed, total: run.total }),
    run.failed > 0 ? t('{failed} failed', { failed: run.failed }) : '',
    run.skipped > 0 ? t('{skipped} skipped', { skipped: run.skipped }) : '',
  ]
    .filter(Boolean)
    .join(' · ');
