import { useQuery } from '@tanstack/react-query';
import { Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { formatCount } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { Queue, Queues } from '../types.ts';
import { IconButton, Page } from '../ui/parts.tsx';
import { commandQueue, jobsQuery } from './queries.ts';

const TITLES: Partial<Record<keyof Queues, { title: string; text: string }>> = {
  metadataExtraction: { title: 'Metadata', text: 'Dates, places and cameras out of the files' },
  thumbnailGeneration: { title: 'Previews', text: 'Small and large pictures for the screen' },
  videoConversion: { title: 'Videos', text: 'Copies that every browser can play' },
  sidecar: { title: 'Sidecars', text: 'Notes that lie beside the files' },
  faceDetection: { title: 'Faces', text: 'Finds faces in photos' },
  facialRecognition: { title: 'People', text: 'Groups faces by person' },
  smartSearch: { title: 'Smart search', text: 'Makes photos findable by what they show' },
  duplicateDetection: { title: 'Duplicates', text: 'Finds pictures that look the same' },
  ocr: { title: 'Text in pictures', text: 'Reads what is written in photos' },
  backgroundTask: { title: 'Housekeeping', text: 'Clearing up and everything small' },
  backupDatabase: { title: 'Database backup', text: 'Saves what is not in the files' },
  library: { title: 'Outside folders', text: 'Looks for changes in folders of your own' },
  integrityCheck: { title: 'Integrity', text: 'Checks that every file is whole' },
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
    <Page title="Jobs">
      <p className="muted" role="status">
        {data ? (open > 0 ? `${formatCount(open, 'job')} to do` : 'All done') : ''}
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
          label={queueStatus.isPaused ? `Resume ${title}` : `Pause ${title}`}
          onClick={() =>
            void (queueStatus.isPaused
              ? run('resume', `${title} goes on`)
              : run('pause', `${title} paused`))
          }
        />
      </header>
      <dl className="counts">
        <Count label="Running" value={counts.active} isLive={counts.active > 0} />
        <Count label={queueStatus.isPaused ? 'Held' : 'Waiting'} value={waiting} />
        <Count label="Failed" value={counts.failed} isBad={counts.failed > 0} />
      </dl>
      <div className="card-actions">
        <button className="button small" onClick={() => void run('start', `${title} started`)}>
          <RotateCw size={15} aria-hidden /> Process missing
        </button>
        {counts.failed > 0 && (
          <button
            className="button small"
            onClick={() => void run('clear-failed', 'Failed jobs cleared')}
          >
            <Trash2 size={15} aria-hidden /> Clear failed
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
    <dd>{value.toLocaleString()}</dd>
  </div>
);
