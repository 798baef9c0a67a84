import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api.ts';
import { type DuplicateSet, fetchSets, fetchSummary, type Summary } from './duplicate-data.ts';

const PAGE = 20;
/** So near the end of what is here, more is fetched. */
const NEAR = 4;

export type Sets = {
  /** Not decided yet, as far as they have been fetched. */
  readonly sets: readonly DuplicateSet[] | undefined;
  readonly summary: Summary | undefined;
  readonly error: string | undefined;
  /** How far one has come. */
  readonly at: number;
  readonly go: (at: number) => void;
  /** A set that was decided leaves. */
  readonly drop: (set: DuplicateSet) => void;
  /** One that is open again comes back, and is looked at. */
  readonly bringBack: (set: DuplicateSet) => void;
  readonly reload: () => void;
};

/** The sets page by page; those that were decided make room for the next ones. */
export function useSets(): Sets {
  const [sets, setSets] = useState<readonly DuplicateSet[]>();
  const [summary, setSummary] = useState<Summary>();
  const [error, setError] = useState<string>();
  const [at, setAt] = useState(0);
  const [isEnd, setEnd] = useState(false);
  const turn = useRef(0);
  const loading = useRef(false);

  const count = useCallback(() => {
    void fetchSummary().then(setSummary, () => undefined);
  }, []);

  const load = useCallback(async (known: readonly DuplicateSet[]) => {
    if (loading.current) return;
    loading.current = true;
    const mine = turn.current;
    try {
      // The server no longer has those that were decided: the open ones are the first there too.
      const page = Math.floor(known.length / PAGE) + 1;
      const next = await fetchSets(page, PAGE);
      if (mine !== turn.current) return;
      const ids = new Set(known.map(({ duplicateId }) => duplicateId));
      const added = next.filter(({ duplicateId }) => !ids.has(duplicateId));
      setEnd(next.length < PAGE || added.length === 0);
      setSets((old = []) => [...old, ...added]);
      setError(undefined);
    } catch (problem) {
      if (mine === turn.current) setError(messageOf(problem));
    } finally {
      loading.current = false;
    }
  }, []);

  const isWanted = !isEnd && !error && at >= (sets?.length ?? 0) - NEAR;
  useEffect(() => {
    if (isWanted) void load(sets ?? []);
  }, [isWanted, sets, load]);
  useEffect(count, [count]);

  const reload = useCallback(() => {
    turn.current++;
    loading.current = false;
    setSets(undefined);
    setEnd(false);
    setError(undefined);
    setAt(0);
    count();
  }, [count]);

  return {
    sets,
    summary,
    error,
    at: Math.min(at, Math.max(0, (sets?.length ?? 1) - 1)),
    go: setAt,
    reload,
    drop: ({ duplicateId }) => {
      setSets((old) => old?.filter((set) => set.duplicateId !== duplicateId));
      count();
    },
    bringBack: (set) => {
      setSets((old = []) => [
        set,
        ...old.filter(({ duplicateId }) => duplicateId !== set.duplicateId),
      ]);
      setAt(0);
      count();
    },
  };
}
