import { EllipsisVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { Menu } from '../../ui/menu.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { NARROW, useMediaQuery } from '../../ui/use-media-query.ts';
import type { Tool } from './tool.ts';
import styles from './viewer.module.css';

/** The width from which all words have room beside each other. */
const ROOMY = '(min-width: 1200px)';

/**
 * Returns the buttons of the bar above, with a menu of what has no room, and the bar below of a phone.
 * `isInfo`: whether the information stands beside the photo.
 */
export function useToolbars(
  tools: readonly Tool[],
  isInfo: boolean,
): { above: ReactNode[]; below: ReactNode } {
  const isNarrow = useMediaQuery(NARROW);
  const isRoomy = useMediaQuery(ROOMY) && !isInfo;
  const isAbove = ({ place }: Tool) =>
    place === 'bar' || (!isNarrow && place === 'thumb') || (isRoomy && place === 'wide');
  const isBelow = ({ place }: Tool) => isNarrow && place === 'thumb';
  const others = tools.filter((tool) => !isAbove(tool) && !isBelow(tool));
  const above = [
    ...tools.filter(isAbove).map(toButton),
    others.length > 0 && (
      <Menu key="menu" label={t('More actions')} icon={EllipsisVertical} entries={others} />
    ),
  ];
  const thumbTools = tools.filter(isBelow);
  const below = thumbTools.length > 0 && (
    <div className={styles.thumbBar} role="toolbar" aria-label={t('Actions')}>
      {thumbTools.map(toButton)}
    </div>
  );
  return { above, below };
}

export function toButton(tool: Tool): ReactNode {
  const { icon, label, word, isOn, isExpanded, keys, run, entries } = tool;
  if (entries) return <Menu key={label} label={label} icon={icon} entries={entries} />;
  return (
    <IconButton
      key={label}
      icon={icon}
      label={label}
      word={word}
      isOn={isOn}
      aria-expanded={isExpanded}
      aria-keyshortcuts={keys}
      onClick={run}
    />
  );
}
