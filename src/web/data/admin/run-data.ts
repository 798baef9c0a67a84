import type { JobRun, JobRunItem } from '../types.ts';
import { t } from '../../base/i18n.ts';

export const RUN_PAGE = 25;

export const STATUSES: Readonly<Record<JobRun['status'], string>> = {
  queued: t('Waiting'),
  running: t('Running'),
  paused: t('Held'),
  completed: t('Completed'),
  failed: t('Failed'),
  cancelled: t('Canceled'),
};

export const ITEM_STATUSES: Readonly<Record<JobRunItem['status'], string>> = {
  queued: t('Waiting'),
  running: t('Running'),
  succeeded: t('Done'),
  failed: t('Failed'),
  skipped: t('Skipped'),
};

export const TRIGGERS: Readonly<Record<JobRun['trigger'], string>> = {
  manual: t('Started manually'),
  schedule: t('Started on schedule'),
  upload: t('Started by an upload'),
  system: t('Started by the server'),
};

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
