import { Pause, Play } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { getMessage } from '../../base/api.ts';
import { formatSecond } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { Page } from '../../ui/elements.tsx';
import {
  fetchLog,
  type Filter,
  filterLines,
  LEVELS,
  type Line,
  NO_LINES,
} from '../../data/admin/log-data.ts';
import styles from './log.module.css';

const POLLING_MS = 1500;
/** Distance from the end, in px, within which the newest line is followed. */
const END_PX = 40;

const LEVEL_TITLES = {
  debug: t('Everything'),
  info: t('Information and above'),
  warn: t('Warnings and errors'),
  error: t('Errors'),
} as const;

/** The last lines of the server's log, and those that come. Their words are English. */
export function LogPage() {
  const [isPaused, setPaused] = useState(false);
  const { lines, error } = useLines(isPaused);
  const [filter, setFilter] = useState<Filter>({ level: 'debug', text: '' });
  const Icon = isPaused ? Play : Pause;
  const button = (
    <button className="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
      <Icon size={18} aria-hidden /> {t('Pause')}
    </button>
  );
  return (
    <Page title={t('Log')} actions={button}>
      <div className={styles.filters}>
        <div className="field">
          <label htmlFor="log-level">{t('Level')}</label>
          <select
            id="log-level"
            value={filter.level}
            onChange={({ currentTarget }) => {
              const level = LEVELS.find((known) => known === currentTarget.value);
              if (level) setFilter({ ...filter, level });
            }}
          >
            {LEVELS.map((level) => (
              <option key={level} value={level}>
                {LEVEL_TITLES[level]}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="log-text">{t('Contains')}</label>
          <input
            id="log-text"
            type="search"
            value={filter.text}
            onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
          />
        </div>
      </div>
      {error && <p role="alert">{error}</p>}
      <Lines lines={filterLines(lines, filter)} />
    </Page>
  );
}

/** Asks for new lines as long as the page is shown. */
function useLines(isPaused: boolean) {
  const [log, setLog] = useState(NO_LINES);
  const [error, setError] = useState('');
  const known = useRef(NO_LINES);
  useEffect(() => {
    if (isPaused) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        if (!document.hidden) {
          const next = await fetchLog(known.current);
          if (isOver) return;
          known.current = next;
          setLog(next);
          setError('');
        }
      } catch (problem) {
        if (!isOver) setError(getMessage(problem));
      }
      if (!isOver) timer = setTimeout(() => void ask(), POLLING_MS);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isPaused]);
  return { lines: log.lines, error };
}

/** The newest line stays in view unless somebody has scrolled up to read. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  return (
    <div
      ref={box}
      className={styles.lines}
      role="log"
      aria-label={t('Lines of the log')}
      aria-live="off"
      tabIndex={0}
      lang="en"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
      }}
    >
      {lines.length === 0 && <p lang="">{t('No lines.')}</p>}
      {lines.map((line) => (
        <p key={`${line.time} ${line.id}`} data-level={line.level}>
          <time dateTime={line.time}>{formatSecond(line.time)}</time> <b>{line.level}</b>{' '}
          {line.text}
        </p>
      ))}
    </div>
  );
}
