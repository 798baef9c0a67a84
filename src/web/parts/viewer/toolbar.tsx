import { EllipsisVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { Menu } from '../../ui/menu.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { NARROW, useMediaQuery } from '../../ui/use-media-query.ts';
import type { Tool } from './tool.ts';

/** Returns the buttons of the tools that have room in the bar, and a menu of the others. */
export function useToolbar(tools: readonly Tool[]): ReactNode[] {
  const isNarrow = useMediaQuery(NARROW);
  const isInBar = ({ place }: Tool) => place === 'bar' || (place === 'wide' && !isNarrow);
  const others = tools.filter((tool) => !isInBar(tool));
  return [
    ...tools.filter(isInBar).map(toButton),
    others.length > 0 && (
      <Menu key="menu" label={t('More actions')} icon={EllipsisVertical} entries={others} />
    ),
  ];
}

function toButton({ icon, label, isOn, isExpanded, keys, run, entries }: Tool): ReactNode {
  if (entries) return <Menu key={label} label={label} icon={icon} entries={entries} />;
  return (
    <IconButton
      key={label}
      icon={icon}
      label={label}
      isOn={isOn}
      aria-expanded={isExpanded}
      aria-keyshortcuts={keys}
      onClick={run}
    />
  );
}
