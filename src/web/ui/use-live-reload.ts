import { useEffect, useRef } from 'react';
import { onLiveEvent } from '../live.ts';

/** Events come in flocks. */
const CALM_MS = 400;

/** Loads again when the server tells of such an event. */
export function useLiveReload(names: readonly string[], reload: () => unknown): void {
  const latest = useRef(reload);
  latest.current = reload;
  const text = names.join(' ');
  useEffect(() => {
    const wanted = new Set(text.split(' '));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLiveEvent(({ name }) => {
      if (!wanted.has(name)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current();
      }, CALM_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [text]);
}
