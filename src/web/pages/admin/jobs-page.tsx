import { useQuery } from '@tanstack/react-query';
import { CircleAlert, Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { allBrokenCountQuery, brokenCountQuery } from '../../data/failed/queries.ts';
import { formatNumber } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Queue, Queues } from '../../data/types.ts';
import { IconButton, Page } from '../../ui/elements.tsx';
import { FailedJobsDialog } from './failed-jobs.tsx';
import { commandQueue, jobsQuery } from '../../data/admin/queries.ts';
import { QUEUE_NAMES, QUEUES } from '../../parts/admin/queue-titles.ts';
import { Runs } from './runs.tsx';
import { t } from '../../base/i18n.ts';

const MAIN: (keyof Queues)[] = [
  'metadataExtraction',
  'thumbnailGeneration',
  'videoConversion',
  'backgroundTask',
];

/** The job queues of the server, for administrators. */
export function JobsPage() {
  const { data, error } = useQuery(jobsQuery());
  const queues = QUEUE_NAMES.flatMap((name) => {
    const queue = data?.[name];
    return queue && (MAIN.includes(name) || isUsed(queue)) ? [{ name, queue }] : [];
  });
  const open = data ? Object.values(data).reduce((sum, queue) => sum + countOpenJobs(queue), 0) : 0;
  return (
    <Page title={t('Jobs')}>
      <p className="muted" role="status">
        {data
          ? open > 0
            ? t('{open, plural, one {# job} other {# jobs}} to do', { open })
            : t('All done')
          : ''}
      </p>
      <FailedFiles />
      {error && <p role="alert">{error.message}</p>}
      <ul className="cards">
        {queues.map(({ name, queue }) => (
          <li key={name}>
            <QueueCard name={name} queue={queue} />
          </li>
        ))}
      </ul>
      <Runs />
    </Page>
  );
}

/** The files that could not be read: how many there are, and where the administrator's own are listed. */
function FailedFiles() {
  const { data: count = 0 } = useQuery(brokenCountQuery());
  const { data: total = 0 } = useQuery(allBrokenCountQuery());
  return (
    <>
      {total > count && (
        <p>
          {t(
            '{count, plural, one {# file} other {# files}} of all accounts could not be read. Each account finds its own under “Failed files”.',
            { count: total },
          )}
        </p>
      )}
      {count > 0 && (
        <p>
          <Link href="/failed">
            {t('{count, plural, one {# file} other {# files}} could not be read', { count })}
          </Link>
        </p>
      )}
    </>
  );
}

const countOpenJobs = ({ jobCounts }: Queue): number =>
  jobCounts.active + jobCounts.waiting + jobCounts.delayed + jobCounts.paused;
const isUsed = (queue: Queue): boolean =>
  countOpenJobs(queue) + queue.jobCounts.completed + queue.jobCounts.failed > 0;

type CardProps = { name: keyof typeof QUEUES; queue: Queue };

function QueueCard({ name, queue }: CardProps) {
  const { title, text } = QUEUES[name];
  const { jobCounts: counts, queueStatus } = queue;
  const [isListed, setListed] = useState(false);
  const waiting = counts.waiting + counts.delayed + counts.paused;
  const run = (command: string, done: string) => attempt(() => commandQueue(name, command), done);
  return (
    <article className="card" aria-label={title}>
      <header className="card-head">
        <div>
          <h2>{title}</h2>
          <p className="muted">{text}</p>
        </div>
        <IconButton
          icon={queueStatus.isPaused ? Play : Pause}
          label={
            queueStatus.isPaused ? t('Resume {title}', { title }) : t('Pause {title}', { title })
          }
          onClick={() =>
            void (queueStatus.isPaused
              ? run('resume', t('{title} will resume', { title }))
              : run('pause', t('{title} paused', { title })))
          }
        />
      </header>
      {counts.active + waiting + counts.failed === 0 ? (
        <p className="muted">{t('Nothing to do')}</p>
      ) : (
        <dl className="counts">
          <Count label={t('Running')} value={counts.active} isLive={counts.active > 0} />
          <Count label={queueStatus.isPaused ? t('Held') : t('Waiting')} value={waiting} />
          <Count label={t('Failed')} value={counts.failed} isBad={counts.failed > 0} />
        </dl>
      )}
      <div className="card-actions">
        <button
          className="button small"
          onClick={() => void run('start', t('{title} started', { title }))}
        >
          <RotateCw size={15} aria-hidden /> {t('Process missing')}
        </button>
        {counts.failed > 0 && (
          <button className="button small" onClick={() => setListed(true)}>
            <CircleAlert size={15} aria-hidden /> {t('Show failed')}
          </button>
        )}
        {counts.failed > 0 && (
          <button
            className="button small"
            onClick={() => void run('clear-failed', t('Failed jobs cleared'))}
          >
            <Trash2 size={15} aria-hidden /> {t('Clear failed')}
          </button>
        )}
      </div>
      {isListed && <FailedJobsDialog queue={name} title={title} onClose={() => setListed(false)} />}
    </article>
  );
}

type CountProps = { label: string; value: number; isLive?: boolean; isBad?: boolean };

const Count = ({ label, value, isLive, isBad }: CountProps) => (
  <div className={`count ${isLive ? 'live' : ''} ${isBad ? 'bad' : ''}`}>
    <dt>{label}</dt>
    <dd>{formatNumber(value)}</dd>
  </div>
);
