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
   * `bar`: in the bar above. `thumb`: in the bar above, on a phone in the bar below. `wide`: in the bar above of a wide
   * window, else in the menu. `menu`: always in the menu.
   */
  place: 'bar' | 'thumb' | 'wide' | 'menu';
};
