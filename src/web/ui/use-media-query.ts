import { useCallback, useSyncExternalStore } from 'react';

/** The width up to which a window is laid out as that of a phone. */
export const NARROW = '(max-width: 760px)';
/** Upright or on its side, as in shell.module.css. */
export const PHONE = '(max-width: 760px), (max-height: 500px) and (orientation: landscape)';

/** Returns whether the window matches a media query, and follows it. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
