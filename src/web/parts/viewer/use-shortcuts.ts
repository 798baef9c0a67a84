import { useKeyListener } from '../../ui/use-key-listener.ts';
import type { Tool } from './tool.ts';

const LETTER = /^\p{L}$/u;

/** Returns the name of a pressed key as tools have it, such as 'f', 'Shift+A' and 'Delete'. */
function getKeys({ key, shiftKey }: KeyboardEvent): string {
  if (!LETTER.test(key)) return key;
  return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
}

/** Runs the tool whose key is pressed, unless a field or a dialog has the focus. */
export function useShortcuts(tools: readonly Tool[], close: (() => void) | undefined): void {
  useKeyListener((event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (target?.closest('input, textarea, select, dialog')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      // The lightbox has its own way to close, with an animation.
      if (!target?.closest('.yarl__root')) close?.();
      return;
    }
    const actions = tools.flatMap((tool) => [tool, ...(tool.entries ?? [])]);
    actions.find(({ keys }) => keys === getKeys(event))?.run();
  });
}
