import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { createPersonalStore, useStore } from '../../base/store.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import { MemoryCard } from '../../parts/memories/card.tsx';
import { RecentExports } from '../../parts/memories/export-list.tsx';
import { changeMemory } from '../../data/memories/memory-data.ts';
import { memoriesQuery, type MemoryFilter } from '../../data/memories/queries.ts';
import { Rules } from './rules.tsx';
import styles from '../../parts/memories/memories.module.css';
import { t } from '../../base/i18n.ts';

type Tab = { label: string; filter: MemoryFilter; empty: string };

const TABS: readonly [Tab, ...Tab[]] = [
  {
    label: t('Saved'),
    filter: { isSaved: true },
    empty: t('Save a memory while it plays, or create one from photos that you select.'),
  },
  {
    label: t('All'),
    filter: { isUpcoming: false },
    empty: t('Memories appear here once there are photos of earlier years.'),
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
      {data?.length === 0 && (
        <Empty icon={History} title={t('No memories here')} text={tab.empty} />
      )}
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
