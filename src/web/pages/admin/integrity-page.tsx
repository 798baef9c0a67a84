import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download, Trash2, Wrench } from 'lucide-react';
import { useState } from 'react';
import { toUrl } from '../../base/api.ts';
import { formatAgo } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { IntegrityEntry, IntegrityRun, IntegrityType } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { IconButton, Page } from '../../ui/elements.tsx';
import styles from '../../parts/admin/admin.module.css';
import {
  CHECKS,
  deleteEntry,
  integrityReportQuery,
  integrityRunsQuery,
  integritySummaryQuery,
  repairEntry,
  startIntegrityJob,
} from '../../data/admin/integrity-data.ts';

/** Files that are missing, damaged, or belong to nothing. */
export function IntegrityPage() {
  const { data: runs, error } = useQuery(integrityRunsQuery());
  const { data: summary } = useQuery(integritySummaryQuery());
  return (
    <Page title={t('Integrity')}>
      {error && <p role="alert">{error.message}</p>}
      {runs &&
        summary &&
        CHECKS.map((check) => (
          <CheckCard
            key={check.type}
            check={check}
            run={runs[check.type]}
            count={summary[check.type]}
          />
        ))}
    </Page>
  );
}

type Check = (typeof CHECKS)[number];
type CardProps = { check: Check; run: IntegrityRun; count: number };

function CheckCard({ check, run, count }: CardProps) {
  const { title, text, job } = check;
  const start = (name: string) => void attempt(() => startIntegrityJob(name), t('Started'));
  return (
    <section className={`card ${styles.integrity}`} aria-label={title}>
      <h2>{title}</h2>
      <p className="muted">{text}</p>
      <p role="status">
        {[t('{count, plural, one {# file} other {# files}}', { count }), describeRun(run)].join(
          ' · ',
        )}
      </p>
      <div className={styles.integrityActions}>
        <button className="button" disabled={run.isRunning} onClick={() => start(job)}>
          {t('Check now')}
        </button>
        {count > 0 && (
          <>
            <button className="button" onClick={() => start(`${job}-refresh`)}>
              {t('Check these again')}
            </button>
            <a
              className="button"
              href={toUrl(`/admin/integrity/report/${check.type}/csv`)}
              download
            >
              {t('Download the list')}
            </a>
            <DeleteAll check={check} onConfirm={() => start(`${job}-delete-all`)} />
          </>
        )}
      </div>
      {count > 0 && <Report check={check} count={count} />}
    </section>
  );
}

function describeRun({ isRunning, lastCompletedAt }: IntegrityRun): string {
  if (isRunning) return t('Running');
  return lastCompletedAt
    ? t('Last complete check: {when}', { when: formatAgo(lastCompletedAt) })
    : t('Not checked completely yet');
}

const PAGE = 50;

function Report({ check: { type, title }, count }: { check: Check; count: number }) {
  const [limit, setLimit] = useState(PAGE);
  const { data } = useQuery({
    ...integrityReportQuery(type, limit, count),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <ul aria-label={title} className={styles.integrityList}>
        {data?.items.map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} />
          </li>
        ))}
      </ul>
      {data?.nextCursor && (
        <button className="button" onClick={() => setLimit(limit + PAGE * 4)}>
          {t('Show more')}
        </button>
      )}
    </>
  );
}

function Entry({ entry: { id, type, path } }: { entry: IntegrityEntry }) {
  const [isAsked, setAsked] = useState(false);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    <>
      <code title={path}>{path}</code>
      {type !== 'missing_file' && (
        <a
          className="icon-button"
          href={toUrl(`/admin/integrity/report/${id}/file`)}
          aria-label={t('Download {name}', { name })}
          download
        >
          <Download size={20} aria-hidden />
        </a>
      )}
      {type !== 'untracked_file' && (
        <IconButton
          icon={Wrench}
          label={t('Repair {name} from a copy', { name })}
          onClick={() => void attempt(() => repairEntry(id), t('Repaired'))}
        />
      )}
      <IconButton
        icon={Trash2}
        label={t('Delete {name}', { name })}
        onClick={() => setAsked(true)}
      />
      {isAsked && (
        <Confirm
          title={t('Delete {name}?', { name })}
          text={describeDeletion(type)}
          action={t('Delete')}
          onConfirm={() => void attempt(() => deleteEntry(id))}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function DeleteAll({ check, onConfirm }: { check: Check; onConfirm: () => void }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button className="button danger" onClick={() => setAsked(true)}>
        {t('Delete all')}
      </button>
      {isAsked && (
        <Confirm
          title={t('Delete all?')}
          text={describeDeletion(check.type)}
          action={t('Delete all')}
          onConfirm={onConfirm}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

const describeDeletion = (type: IntegrityType): string =>
  type === 'untracked_file'
    ? t('It is put aside in the folder “removed”, and deleted after 30 days.')
    : t('The items it belongs to go to the trash, in all accounts.');
