import { type RefObject, useEffect } from 'react';
import { wasPageUsed } from '../base/user-input.ts';

/** Moves the focus to an element when it comes, but not after loading: then the keyboard begins at the top of the page. */
export const useFocusOnArrival = (element: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    if (wasPageUsed()) element.current?.focus({ preventScroll: true });
  }, [element]);
