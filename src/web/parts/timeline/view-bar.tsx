import { CalendarSearch, Check, Grid2x2, Grid3x3, Keyboard, Rows3, ZoomIn } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStore } from '../../base/store.ts';
import { showKeys } from '../../ui/key-help.tsx';
import { useKeyBindings } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { grouping, setGrouping, stepGrouping } from './grouping.ts';
import type { Grouping } from '../../data/timeline/layout.ts';
import styles from '../grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

const GROUPS: readonly { name: Grouping; label: string; icon: typeof Rows3 }[] = [
  { name: 'day', label: t('Group by day'), icon: Rows3 },
  { name: 'month', label: t('Group by month'), icon: Grid2x2 },
  { name: 'year', label: t('Group by year'), icon: Grid3x3 },
];

type Props = {
  onJump: () => void;
  /** Whether keys are for something else, such as an open photo. */
  isOff: boolean;
  children?: ReactNode;
};

/** Beside the name of the month: how the timeline is shown. */
export function ViewBar({ onJump, isOff, children }: Props) {
  const now = useStore(grouping);
  const step = (by: number) => () => setGrouping(stepGrouping(now, by));
  useKeyBindings(
    t('Timeline'),
    [
      { keys: ['+', '='], label: t('Larger photos'), run: step(-1) },
      { keys: ['-'], label: t('Smaller photos'), run: step(1) },
      { keys: ['d'], label: t('Go to a date'), run: onJump },
    ],
    !isOff,
  );
  return (
    <div className={styles.viewBar}>
      {children}
      <Menu
        label={t('View')}
        icon={ZoomIn}
        entries={[
          ...GROUPS.map(({ name, label, icon }) => ({
            icon: name === now ? Check : icon,
            label,
            run: () => setGrouping(name),
          })),
          { icon: CalendarSearch, label: t('Go to a date'), run: onJump },
          { icon: Keyboard, label: t('Keyboard shortcuts'), run: showKeys },
        ]}
      />
    </div>
  );
}
