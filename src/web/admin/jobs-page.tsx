import { useQuery } from '@tanstack/react-query';
import { Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { formatNumber } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { Queue, Queues } from '../types.ts';
import { IconButton, Page } from '../ui/parts.tsx';
import { commandQueue, jobsQuery } from './queries.ts';
import { t } from '../i18n.ts';

const TITLES: Partial<Record<keyof Queues, { title: string; text: string }>> = {
  metadataExtraction: {
    title: t('Metadata'),
    text: t('Dates, places and cameras out of the files'),
  },
  thumbnailGeneration: { title: t('Previews'), text: t('Small and large pictures for the screen') },
  videoConversion: { title: t('Videos'), text: t('Copies that every browser can play') },
  sidecar: { title: t('Sidecars'), text: t('Notes that lie beside the files') },
  faceDetection: { title: t('Faces'), text: t('Finds faces in photos') },
  facialRecognition: { title: t('People'), text: t('Groups faces by person') },
  smartSearch: { title: t('Smart search'), text: t('Makes photos findable by what they show') },
  duplicateDetection: { title: t('Duplicates'), text: t('Finds pictures that look the same') },
  ocr: { title: t('Text in pictures'), text: t('Reads what is written in photos') },
  backgroundTask: { title: t('Housekeeping'), text: t('Clearing up and everything small') },
  backupDatabase: { title: t('Database backup'), text: t('Saves what is not in the files') },
  library: { title: t('Outside folders'), text: t('Looks for changes in folders of your own') },
  integrityCheck: { title: t('Integrity'), text: t('Checks that every file is whole') },
};
const MAIN: (keyof Queues)[] = [
  'metadataExtraction',
  'thumbnailGeneration',
  'videoConversion',
  'backgroundTask',
];

/** The job queues of the server, for administrators. */
export function JobsPage() {
  const { data, error } = useQuery(jobsQuery());
  const names = (Object.keys(TITLES) as (keyof Queues)[]).filter(
    (name) => data?.[name] && (MAIN.includes(name) || isUsed(data[name])),
  );
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
      {error && <p role="alert">{error.message}</p>}
      <ul className="cards">
        {names.map((name) => (
          <li key={name}>
            <QueueCard name={name} queue={data![name]} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

const countOpenJobs = ({ jobCounts }: Queue): number =>
  jobCounts.active + jobCounts.waiting + jobCounts.delayed + jobCounts.paused;
const isUsed = (queue: Queue): boolean =>
  countOpenJobs(queue) + queue.jobCounts.completed + queue.jobCounts.failed > 0;

type CardProps = { name: keyof Queues; queue: Queue };

function QueueCard({ name, queue }: CardProps) {
  const { title, text } = TITLES[name] ?? { title: name, text: '' };
  const { jobCounts: counts, queueStatus } = queue;
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
              ? run('resume', t('{title} goes on', { title }))
              : run('pause', t('{title} paused', { title })))
          }
        />
      </header>
      <dl className="counts">
        <Count label={t('Running')} value={counts.active} isLive={counts.active > 0} />
        <Count label={queueStatus.isPaused ? t('Held') : t('Waiting')} value={waiting} />
        <Count label={t('Failed')} value={counts.failed} isBad={counts.failed > 0} />
      </dl>
      <div className="card-actions">
        <button
          className="button small"
          onClick={() => void run('start', t('{title} started', { title }))}
        >
          <RotateCw size={15} aria-hidden /> {t('Process missing')}
        </button>
        {counts.failed > 0 && (
          <button
            className="button small"
            onClick={() => void run('clear-failed', t('Failed jobs cleared'))}
          >
            <Trash2 size={15} aria-hidden /> {t('Clear failed')}
          </button>
        )}
      </div>
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
