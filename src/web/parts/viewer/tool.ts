import type { LucideIcon } from 'lucide-react';
import type { MenuEntry } from '../../ui/menu.tsx';

/** An action for the shown photo. */
export type Tool = {
  icon: LucideIcon;
  label: string;
  run: () => void;
  isOn?: boolean;
  /** Whether what it opens is open. */
  isExpanded?: boolean;
  /** As `KeyboardEvent.key`; a capital letter with `Shift+` before it. */
  keys?: string;
  /** In the bar, in the bar where it has room, or always in the menu. */
  /** Instead of a button in the bar, a menu of these. */
  entries?: readonly MenuEntry[];
  place: 'bar' | 'wide' | 'menu';
};
