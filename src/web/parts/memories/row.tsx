import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMyId } from '../../data/session/session.ts';
import { preferencesQuery } from '../../data/settings/queries.ts';
import type { Memory } from '../../data/types.ts';
import { MemoryCard } from './card.tsx';
import { memoriesQuery, getToday } from '../../data/memories/queries.ts';
import styles from './memories.module.css';
import { t } from '../../base/i18n.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';

const KEY = 'safelight.memory-row';

/** Remembers whether the account has a row of memories, for its next visit. */
const rememberRow = (userId: string, isShown: boolean): void =>
  writeStorage(KEY, isShown ? userId : undefined);

/** Keeps the place of the row until it is loaded, if there was one at the last visit. */
function MemoryRowSpace() {
  const me = useMyId();
  if (readStorage(KEY) !== me) return null;
  return (
    <div className={styles.row} aria-hidden>
      <ul>
        <li>
          <div className={`${styles.card} ${styles.space}`} />
        </li>
      </ul>
    </div>
  );
}

const CHECK_MS = 60_000;

/** Returns today's date in the viewer's calendar, also where the page is left open over midnight. */
function useToday(): string {
  const [today, setToday] = useState(getToday);
  useEffect(() => {
    const check = () => setToday(getToday());
    const timer = setInterval(check, CHECK_MS);
    // A sleeping device stops the timer.
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, []);
  return today;
}

/** Above the timeline: the memories of today, and those that were saved. */
export function MemoryRow() {
  const me = useMyId();
  const memories = useMemoryRow();
  const isShown = memories && memories.length > 0;
  useEffect(() => {
    if (isShown !== undefined) rememberRow(me, isShown);
  }, [me, isShown]);
  if (!memories) return <MemoryRowSpace />;
  if (!isShown) return null;
  return (
    <section className={styles.row} aria-label={t('Memories')} data-part="memory-row">
      <ul>
        {memories.map((memory) => (
          <li key={memory.id}>
            <MemoryCard memory={memory} memories={memories} from="/photos" />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** So long the timeline waits for the row above it, in ms. */
const PATIENCE_MS = 1000;

/** Returns whether the place of what is below the row is settled. */
export function useIsRowSettled(): boolean {
  const isKnown = useMemoryRow() !== undefined;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isKnown || isLate;
}

/** Returns the memories of the row, none while memories are off; undefined until they are known. */
function useMemoryRow(): readonly Memory[] | undefined {
  const today = useToday();
  const { data: preferences } = useQuery(preferencesQuery());
  const isOn = preferences?.memories.enabled ?? true;
  const current = useQuery({ ...memoriesQuery({ for: today }), enabled: isOn });
  const saved = useQuery({ ...memoriesQuery({ isSaved: true }), enabled: isOn });
  if (!isOn || current.isError || saved.isError) return [];
  if (!preferences || !current.data || !saved.data) return undefined;
  return mergeMemories(current.data, saved.data);
}

/** Each once, and none without a picture. */
function mergeMemories(today: readonly Memory[], saved: readonly Memory[]): Memory[] {
  const first = new Set(today.map(({ id }) => id));
  return [...today, ...saved.filter(({ id, isUpcoming }) => !first.has(id) && !isUpcoming)].filter(
    ({ assets }) => assets.length > 0,
  );
}
