import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api.ts';

export type Loaded<T> = {
  data: T | undefined;
  error: string | undefined;
  reload: () => Promise<void>;
  setData: (data: T) => void;
};

/** Fetches when the page opens and when `key` changes, and every `everyMs` while it is looked at. */
export function useLoad<T>(fetch: () => Promise<T>, key = '', everyMs?: number): Loaded<T> {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<string>();
  const latest = useRef(fetch);
  latest.current = fetch;
  const turn = useRef(0);

  const reload = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const next = await latest.current();
      if (mine !== turn.current) return;
      setData(next);
      setError(undefined);
    } catch (problem) {
      if (mine === turn.current) setError(messageOf(problem));
    }
  }, []);

  useEffect(() => {
    setData(undefined);
    void reload();
    return () => void turn.current++;
  }, [key, reload]);

  useEffect(() => {
    if (!everyMs) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  return { data, error, reload, setData };
}
