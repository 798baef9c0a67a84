import { EllipsisVertical, type LucideIcon } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { cornerOverlay } from './corner.ts';
import { IconButton } from './elements.tsx';
import { useLatest } from './use-latest.ts';
import styles from './menu.module.css';

export type MenuEntry = {
  icon: LucideIcon;
  label: string;
  run: () => void;
  /** The key that does the same, as `KeyboardEvent.key`. */
  keys?: string;
};

type Props = {
  label: string;
  entries: readonly MenuEntry[];
  icon?: LucideIcon;
  /** Shown on the button in the place of the icon. */
  face?: ReactNode;
  /** Above the entries. */
  head?: ReactNode;
  className?: string | undefined;
  /** Where there is no room below. */
  isUp?: boolean;
  onToggle?: (isOpen: boolean) => void;
};

/** A button that opens a list of actions. Arrow keys move in it, Escape closes it. */
export function Menu({
  label,
  entries,
  icon = EllipsisVertical,
  face,
  head,
  className = '',
  isUp,
  onToggle,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const latest = useLatest(onToggle);
  useEffect(() => latest.current?.(isOpen), [latest, isOpen]);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isOpen && box.current) fit(box.current);
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener('pointerdown', away);
    window.addEventListener('focusin', away);
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    return () => {
      window.removeEventListener('pointerdown', away);
      window.removeEventListener('focusin', away);
    };
  }, [isOpen]);

  const close = () => {
    setOpen(false);
    box.current?.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') moveFocus(box.current, 1);
    else if (event.key === 'ArrowUp') moveFocus(box.current, -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={box} className={`menu ${className}`} onKeyDown={onKeyDown}>
      <IconButton
        icon={icon}
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </IconButton>
      {isOpen && (
        <div
          ref={cornerOverlay}
          className={isUp ? `${styles.menuList} ${styles.up}` : styles.menuList}
          role="menu"
          aria-label={label}
        >
          {head}
          {entries.map(({ icon: Icon, label: name, run, keys }) => (
            <button
              key={name}
              role="menuitem"
              tabIndex={-1}
              aria-keyshortcuts={keys}
              onClick={() => {
                close();
                run();
              }}
            >
              <Icon size={18} aria-hidden /> {name}
              {keys && <kbd aria-hidden>{keys}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Distance of the list from its button and from the edge of the window, in px. */
const GAP = 12;

/** Opens the list to the side with more room, where it has none below, and within the window. */
function fit(box: HTMLElement): void {
  const list = box.querySelector<HTMLElement>('[role=menu]');
  if (!list) return;
  const { top, bottom } = box.getBoundingClientRect();
  const { height, left } = list.getBoundingClientRect();
  // It ends where its button does, unless it is too wide for that.
  if (left < GAP) list.style.right = `${left - GAP}px`;
  const below = innerHeight - bottom - GAP;
  const above = top - GAP;
  const { up = 'up' } = styles;
  const isUp = list.classList.contains(up) || (height > below && above > below);
  list.classList.toggle(up, isUp);
  list.style.maxHeight = `${Math.max(isUp ? above - GAP : below, MIN_HEIGHT)}px`;
}
const MIN_HEIGHT = 120;

function moveFocus(box: HTMLElement | null, by: number): void {
  const items = [...(box?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + by + items.length) % items.length]?.focus();
}
