import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatInstant } from '../../base/format.ts';
import type { JobRun, JobRunItem } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Progress } from '../../ui/elements.tsx';
import { getJobTitle } from '../../parts/admin/job-titles.ts';
import { runItemsQuery, runsQuery } from '../../data/admin/queries.ts';
import {
  computeProgress,
  describeProgress,
  ITEM_STATUSES,
  RUN_PAGE,
  STATUSES,
  TRIGGERS,
} from '../../data/admin/run-data.ts';
import styles from '../../parts/admin/admin.module.css';
import { t } from '../../base/i18n.ts';

/** Runs of jobs that were started by hand, by force or by the clock, newest first. */
export function Runs() {
  const [skip, setSkip] = useState(0);
  const { data, error } = useQuery({ ...runsQuery(skip), placeholderData: keepPreviousData });
  const [opened, setOpened] = useState<JobRun>();
  return (
    <section className={styles.runs}>
      <h2>{t('Runs')}</h2>
      {error && <p role="alert">{error.message}</p>}
      {data?.total === 0 && <p className="muted">{t('Nothing yet.')}</p>}
      <ol aria-label={t('Runs')}>
        {data?.items.map((run) => (
          <li key={run.id}>
            <RunRow run={run} onOpen={() => setOpened(run)} />
          </li>
        ))}
      </ol>
      {data && <Pager page={data} onSkip={setSkip} />}
      {opened && <ItemsDialog run={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

function RunRow({ run, onOpen }: { run: JobRun; onOpen: () => void }) {
  const { status, trigger, force, createdAt, error } = run;
  const name = getJobTitle(run.name, run.queue);
  const isActive = status === 'queued' || status === 'running' || status === 'paused';
  return (
    <>
      <div className={styles.runHead}>
        <strong>{name}</strong>
        <span className="tag" data-status={status}>
          {STATUSES[status]}
        </span>
      </div>
      <small>
        {[TRIGGERS[trigger], formatInstant(createdAt), force ? t('Everything again') : '']
          .filter(Boolean)
          .join(' · ')}
      </small>
      <small>{describeProgress(run)}</small>
      {isActive && <Progress value={computeProgress(run)} label={describeProgress(run)} />}
      {error && <small className={styles.runError}>{error}</small>}
      {run.total !== 0 && (
        <button
          className="button small"
          aria-label={t('Items of “{name}”', { name })}
          onClick={onOpen}
        >
          {t('Items')}
        </button>
      )}
    </>
  );
}

function ItemsDialog({ run, onClose }: { run: JobRun; onClose: () => void }) {
  const [skip, setSkip] = useState(0);
  const { data, error } = useQuery({
    ...runItemsQuery(run.id, skip),
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog
      title={t('Items of “{name}”', { name: getJobTitle(run.name, run.queue) })}
      onClose={onClose}
      isWide
    >
      {error && <p role="alert">{error.message}</p>}
      {data?.total === 0 && <p className="muted">{t('Nothing yet.')}</p>}
      <ol className={styles.runItems} aria-label={t('Items')}>
        {data?.items.map((item) => (
          <li key={item.id}>
            <ItemRow item={item} />
          </li>
        ))}
      </ol>
      {data && <Pager page={data} onSkip={setSkip} />}
    </Dialog>
  );
}

const ItemRow = ({
  item: { label, targetId, status, attempts, finishedAt, error },
}: {
  item: JobRunItem;
}) => (
  <>
    <span>{label ?? targetId ?? t('unknown')}</span>
    <span className="tag" data-status={status}>
      {ITEM_STATUSES[status]}
    </span>
    <small>
      {t('{attempts, plural, one {# attempt} other {# attempts}}', { attempts })}
      {finishedAt && ` · ${formatInstant(finishedAt)}`}
    </small>
    {error && <small className={styles.runError}>{error}</small>}
  </>
);

type PagerProps = {
  page: { readonly total: number; readonly skip: number; readonly items: readonly unknown[] };
  onSkip: (skip: number) => void;
};

/** Nothing while everything is on one page. */
function Pager({ page: { total, skip, items }, onSkip }: PagerProps) {
  if (total <= RUN_PAGE && skip === 0) return null;
  return (
    <div className={styles.pager}>
      <button
        className="button small"
        disabled={skip === 0}
        onClick={() => onSkip(Math.max(0, skip - RUN_PAGE))}
      >
        {t('Newer')}
      </button>
      <span role="status">
        {t('{first} to {last} of {total}', { first: skip + 1, last: skip + items.length, total })}
      </span>
      <button
        className="button small"
        disabled={skip + items.length >= total}
        onClick={() => onSkip(skip + RUN_PAGE)}
      >
        {t('Older')}
      </button>
    </div>
  );
}
