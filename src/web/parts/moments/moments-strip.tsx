import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { cornerOverlay } from '../../ui/corner.ts';
import { IconButton } from '../../ui/elements.tsx';
import type { Asset } from '../../data/types.ts';
import { formatClock, findCurrent, type Entry, toEntries } from './entries.ts';
import { frameUrl, type Moments, TIME_PARAM } from '../../data/moments/moment-data.ts';
import { isProcessing, momentsQuery } from '../../data/moments/queries.ts';
import { findLine } from './speech-dialog.tsx';
import { useMomentTools } from './use-moment-tools.tsx';
import { type Player, usePlayer } from './use-player.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  asset: Asset;
  isMine: boolean;
  stage: HTMLElement | null;
  /** The server makes another picture of it. */
  onCover: () => void;
};

const OPEN_KEY = 'safelight.moments';

/** The scenes of a video below its player, and the moments that its owner marked. */
export function MomentsStrip({ asset, isMine, stage, onCover }: Props) {
  const { data } = useQuery(momentsQuery(asset.id));
  const isWaiting = isProcessing(data);
  const player = usePlayer(stage);
  useStart(player);
  const [isOpen, setOpen] = useState(() => localStorage.getItem(OPEN_KEY) !== 'closed');
  const [pressedKey, setPressedKey] = useState<string>();
  const entries = data ? toEntries(data) : [];
  const current = findCurrent(entries, player.timeMs, pressedKey);
  const go = ({ key, timeMs }: Entry) => {
    setPressedKey(key);
    player.seek?.(timeMs);
  };
  const { tools, dialog } = useMomentTools({
    asset,
    data,
    isMine,
    current,
    player,
    onCover,
  });
  if (!data || (entries.length === 0 && !isMine && !isWaiting)) return null;
  const spoken = findLine(data.speech, player.timeMs);
  const toggle = () => {
    localStorage.setItem(OPEN_KEY, isOpen ? 'closed' : 'open');
    setOpen(!isOpen);
  };
  return (
    <section
      ref={cornerOverlay}
      data-part="moments"
      className={styles.moments}
      aria-label={t('Moments')}
    >
      <header className={styles.momentsHead}>
        <h2>{t('Moments')}</h2>
        <p data-part="moments-text" className={styles.momentsText} aria-live="polite">
          {getNote(data, current, isWaiting)}
          {spoken && <q>{spoken.text}</q>}
        </p>
        {isOpen && tools}
        <IconButton
          icon={isOpen ? ChevronDown : ChevronUp}
          className="small"
          label={isOpen ? t('Hide the moments') : t('Show the moments')}
          aria-expanded={isOpen}
          onClick={toggle}
        />
      </header>
      {isOpen && entries.length > 0 && (
        <List entries={entries} current={current} data={data} onGo={go} />
      )}
      {dialog}
    </section>
  );
}

function getNote(data: Moments, current: Entry | undefined, isWaiting: boolean): ReactNode {
  if (isWaiting) return <span className="muted">{t('Analyzing video …')}</span>;
  if (current) {
    return (
      <>
        <strong>{formatClock(current.timeMs)}</strong> {current.text}
        {current.isOutdated && <span className="muted">{t('· outdated')}</span>}
      </>
    );
  }
  if (data.status === 'failed')
    return <span className="muted">{t('This video cannot be read.')}</span>;
  return <span className="muted">{t('Nothing is marked yet.')}</span>;
}

type ListProps = {
  entries: readonly Entry[];
  current: Entry | undefined;
  data: Moments;
  onGo: (entry: Entry) => void;
};

function List({ entries, current, data, onGo }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  // Only sideways: the page itself must not move.
  useEffect(() => {
    const element = list.current?.querySelector<HTMLElement>('[aria-current=true]');
    if (!element || !list.current) return;
    const left = element.offsetLeft - (list.current.clientWidth - element.offsetWidth) / 2;
    list.current.scrollTo({ left, behavior: 'smooth' });
  }, [current?.key]);
  return (
    <ul
      ref={list}
      data-part="moments-list"
      className={styles.momentsList}
      aria-label={t('Moments of this video')}
    >
      {entries.map((entry) => (
        <li key={entry.key} className={entry.isOutdated ? styles.outdated : ''}>
          <button
            aria-current={entry.key === current?.key}
            title={entry.text || undefined}
            onClick={() => onGo(entry)}
          >
            {entry.frameId ? (
              <img src={frameUrl(entry.frameId)} alt="" loading="lazy" />
            ) : (
              <span className={styles.momentsNone} />
            )}
            <span className={styles.momentsTime}>{formatClock(entry.timeMs)}</span>
            {entry.manual && (
              <span className={styles.momentsMark}>{entry.manual.title ?? t('Marked')}</span>
            )}
            {entry.frameId === data.cover.frameId && !entry.manual && (
              <span data-part="moments-cover" className={styles.momentsCover}>
                {t('Cover')}
              </span>
            )}
            <span className="hidden-title">{describeEntry(entry)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Says what is not seen in the picture of a moment. */
const describeEntry = ({ text, manual, isOutdated }: Entry): string =>
  [text, manual && t('marked manually'), isOutdated && t('outdated')].filter(Boolean).join(', ');

/** Where an address names a time, the film begins there. */
function useStart({ seek }: Player): void {
  const time = new URLSearchParams(useSearch()).get(TIME_PARAM);
  useEffect(() => {
    const seconds = Number(time);
    if (time !== null && Number.isFinite(seconds) && seconds >= 0) seek?.(seconds * 1000);
  }, [time, seek]);
}
