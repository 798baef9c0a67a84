import type { LucideIcon } from 'lucide-react';
import type { MenuEntry } from '../../ui/menu.tsx';

/** An action for the shown photo. */
export type Tool = {
  icon: LucideIcon;
  label: string;
  /** Beside the icon, where there is room. */
  word?: string;
  run: () => void;
  isOn?: boolean;
  /** Whether what it opens is open. */
  isExpanded?: boolean;
  /** As `KeyboardEvent.key`; a capital letter with `Shift+` before it. */
  keys?: string;
  /** Instead of a button in the bar, a menu of these. */
  entries?: readonly MenuEntry[];
  /**
   * In the bar above: `bar`. There, but on a phone in the bar below: `thumb`. There where the window is wide, else in
   * the menu: `wide`. Always in the menu: `menu`.
   */
  place: 'bar' | 'thumb' | 'wide' | 'menu';
};
