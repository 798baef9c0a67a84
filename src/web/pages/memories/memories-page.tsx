import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { createPersonalStore, useStore } from '../../base/store.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import { MemoryCard } from '../../parts/memories/card.tsx';
import { RecentExports } from '../../parts/memories/export-list.tsx';
import { changeMemory } from '../../data/memories/memory-data.ts';
import { memoriesQuery, type MemoryFilter, readinessQuery } from '../../data/memories/queries.ts';
import type { MemoryReadiness } from '../../data/types.ts';
import { Rules } from './rules.tsx';
import styles from '../../parts/memories/memories.module.css';
import { t } from '../../base/i18n.ts';

/** `empty`: what is said instead of the reason for which there are no memories at all. */
type Tab = { label: string; filter: MemoryFilter; empty?: string };

const TABS: readonly [Tab, ...Tab[]] = [
  {
    label: t('Saved'),
    filter: { isSaved: true },
    empty: t('Save a memory while it plays, or create one from photos that you select.'),
  },
  {
    label: t('All'),
    filter: { isUpcoming: false },
  },
  {
    label: t('Upcoming'),
    filter: { isUpcoming: true },
    empty: t('Memories of the coming days appear here.'),
  },
  {
    label: t('Hidden'),
    filter: { isHidden: true },
    empty: t('Memories that you hide appear here, and can be shown again.'),
  },
];

/** Chosen until the account logs out: the player comes back to it. */
const chosenTab = createPersonalStore(TABS[0]);

const PAGE_SIZE = 60;

export function MemoriesPage() {
  const chosen = useStore(chosenTab);
  return (
    <Page title={t('Memories')}>
      <div className={styles.tabs} role="group" aria-label={t('Which memories')}>
        {TABS.map((tab) => (
          <button
            key={tab.label}
            className="button small"
            aria-pressed={tab === chosen}
            onClick={() => chosenTab.set(tab)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <List key={chosen.label} tab={chosen} />
      <RecentExports />
      <Rules />
    </Page>
  );
}

const REASONS: Readonly<Record<MemoryReadiness['reason'], string>> = {
  off: t('Memories are switched off in your settings.'),
  empty: t('Memories appear here once you have added photos.'),
  analyzing: t('Your photos are still being analyzed. Memories appear here after that.'),
  few: t('There are too few photos yet: a day, a trip or a person needs several good ones.'),
};

/** Says what leads to memories of this kind, or why there are none of any kind. */
function NoMemories({ tab }: { tab: Tab }) {
  const { data: others } = useQuery(memoriesQuery({ isUpcoming: false, size: 1 }));
  const { data: readiness } = useQuery(readinessQuery());
  if (!others || !readiness) return null;
  const reason = others.length === 0 ? readiness.reason : undefined;
  const text = (reason && REASONS[reason]) ?? tab.empty ?? '';
  return (
    <Empty icon={History} title={t('No memories here')} text={text}>
      {reason === 'off' && (
        <Link className="button" href="/settings">
          {t('Settings')}
        </Link>
      )}
    </Empty>
  );
}

function List({ tab }: { tab: Tab }) {
  const [size, setSize] = useState(PAGE_SIZE);
  const { data, error, refetch } = useQuery({
    ...memoriesQuery({ ...tab.filter, size }),
    placeholderData: keepPreviousData,
  });
  const memories = data ?? [];
  return (
    <>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <NoMemories tab={tab} />}
      <ul className={styles.grid} aria-label={tab.label}>
        {memories.map((memory) => (
          <li key={memory.id}>
            <MemoryCard memory={memory} memories={memories} from="/memories" />
            {memory.isHidden && (
              <button
                className="button small"
                onClick={() =>
                  void attemptUndoable(
                    () => changeMemory(memory.id, { isHidden: false }),
                    t('The memory is shown again'),
                    () => changeMemory(memory.id, { isHidden: true }),
                  )
                }
              >
                {t('Show again')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {memories.length === size && (
        <button className="button" onClick={() => setSize(size + PAGE_SIZE)}>
          {t('Show more')}
        </button>
      )}
    </>
  );
}
