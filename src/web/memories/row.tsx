import { useQuery } from '@tanstack/react-query';
import { preferencesQuery } from '../settings/queries.ts';
import type { Memory } from '../types.ts';
import { MemoryCard } from './card.tsx';
import { getToday, memoriesQuery } from './queries.ts';
import styles from './memories.module.css';
import { t } from '../i18n.ts';

/** Above the timeline: the memories of today, and those that were saved. */
export function MemoryRow() {
  const { data: preferences } = useQuery(preferencesQuery());
  const isOn = preferences?.memories.enabled ?? true;
  const { data: today } = useQuery({ ...memoriesQuery({ for: getToday() }), enabled: isOn });
  const { data: saved } = useQuery({ ...memoriesQuery({ isSaved: true }), enabled: isOn });
  if (!preferences || !isOn || !today || !saved) return null;
  const memories = mergeMemories(today, saved);
  if (memories.length === 0) return null;
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

/** Each once, and none without a picture. */
function mergeMemories(today: readonly Memory[], saved: readonly Memory[]): Memory[] {
  const first = new Set(today.map(({ id }) => id));
  return [...today, ...saved.filter(({ id, isUpcoming }) => !first.has(id) && !isUpcoming)].filter(
    ({ assets }) => assets.length > 0,
  );
}
