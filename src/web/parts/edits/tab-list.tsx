import type { KeyboardEvent } from 'react';
import { t } from '../../base/i18n.ts';
import styles from './edits.module.css';

export type Tab = 'crop' | 'straighten' | 'brightness' | 'colour' | 'filters';

const TABS: readonly { tab: Tab; name: string }[] = [
  { tab: 'crop', name: t('Crop') },
  { tab: 'straighten', name: t('Straighten') },
  { tab: 'brightness', name: t('Brightness') },
  { tab: 'colour', name: t('Color') },
  { tab: 'filters', name: t('Photo filters') },
];

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

export const getTabId = (tab: Tab): string => `edit-tab-${tab}`;
export const PANEL_ID = 'edit-panel';

type Props = { selected: Tab; onSelect: (tab: Tab) => void };

/** The groups of tools; arrow keys go from one to the next. */
export function TabList({ selected, onSelect }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = TABS.findIndex(({ tab }) => tab === selected);
    const next = TABS[(at + step + TABS.length) % TABS.length];
    if (!next) return;
    onSelect(next.tab);
    document.getElementById(getTabId(next.tab))?.focus();
  };
  return (
    <div className={styles.tabs} role="tablist" aria-label={t('Tools')} onKeyDown={onKeyDown}>
      {TABS.map(({ tab, name }) => (
        <button
          key={tab}
          id={getTabId(tab)}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={tab === selected}
          aria-controls={PANEL_ID}
          tabIndex={tab === selected ? 0 : -1}
          onClick={() => onSelect(tab)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
