import { useEffect, useRef } from 'react';
import { wasPageUsed } from '../base/user-input.ts';

/** The page of an address, without the photo that is open on it. */
const toPage = (path: string): string => path.replace(/\/photos(?:\/.*)?$/, '');

/**
 * Focuses the content of a page if what had the focus left with the page before: the browser would go on behind the
 * content.
 */
export function usePageFocus(path: string): void {
  const page = toPage(path);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (isLost && wasPageUsed()) {
      document.getElementById('content')?.focus({ preventScroll: true });
    }
  }, [page]);
}
