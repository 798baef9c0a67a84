import { EllipsisVertical, X } from 'lucide-react';
import { isGuest } from '../../base/api.ts';
import { formatNumber } from '../../base/format.ts';
import { TagDropPanel } from '../tags/drop-panel.tsx';
import { cornerBar } from '../../ui/corner.ts';
import { useKeyBindings } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { IconButton } from '../../ui/elements.tsx';
import type { Plan } from '../../data/timeline/sections.ts';
import { listBarNames, type Rights } from '../grid/action-names.ts';
import { useSelectionActions } from './selection-actions.tsx';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import styles from '../grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  ids: ReadonlySet<string>;
  plan: Plan;
  timeline: Timeline;
  may: Rights;
  onDone: () => void;
  /** Whether keys are for something else, such as an open photo. */
  isOff: boolean;
};

/** The actions for the selected photos. Always in the page, so that its text is announced. */
export function SelectionBar(props: Props) {
  const { ids, onDone } = props;
  const { actions, dialog, own } = useSelectionActions(props);
  const canTag = !isGuest() && props.timeline.filter.isTrashed !== true;
  useKeyBindings(
    t('Selected photos'),
    actions.flatMap(({ keys, label, run }) => (keys ? [{ keys: [keys], label, run }] : [])),
    ids.size > 0 && !props.isOff,
  );
  const barNames = listBarNames(actions.map(({ name }) => name));
  const seldom = actions.filter(({ name }) => !barNames.has(name));
  return (
    <div
      ref={ids.size > 0 ? cornerBar : undefined}
      data-part="selection-bar"
      className={ids.size > 0 ? styles.selectionBar : `${styles.selectionBar} ${styles.away}`}
      inert={ids.size === 0}
    >
      <IconButton icon={X} label={t('Clear selection')} onClick={onDone} />
      <span className={styles.selectionCount} role="status">
        {ids.size > 0 && (
          <>
            <span className="wide-only">
              {t('{count, plural, one {# item} other {# items}} selected', { count: ids.size })}
            </span>
            <span className="phone-only">
              {formatNumber(ids.size)}
              <span className="hidden-title">{t('selected')}</span>
            </span>
          </>
        )}
      </span>
      {actions
        .filter(({ name }) => barNames.has(name))
        .map(({ icon, label, word = label, run, isOn, keys }) => (
          <IconButton
            key={label}
            icon={icon}
            label={label}
            word={word}
            isOn={isOn}
            aria-keyshortcuts={keys}
            onClick={run}
          />
        ))}
      {seldom.length > 0 && (
        <Menu label={t('More actions')} icon={EllipsisVertical} entries={seldom} isUp />
      )}
      {canTag && <TagDropPanel ids={[...own]} onDone={onDone} />}
      {dialog}
    </div>
  );
}
