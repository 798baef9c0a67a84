import { useRef, useState } from 'react';
import { attempt, showUndo } from '../toast.tsx';
import { type Decision, type DuplicateSet, readAgain } from './duplicate-data.ts';
import type { Sets } from './use-sets.ts';

/** Decides about one set after the other; each decision can be taken back, the last one first. */
export function useDecisions(
  set: DuplicateSet | undefined,
  { drop, bringBack, reload }: Pick<Sets, 'drop' | 'bringBack' | 'reload'>,
) {
  const [isBusy, setBusy] = useState(false);
  const done = useRef<(() => Promise<void>)[]>([]);

  const run = async (work: (set: DuplicateSet) => Promise<Decision>) => {
    if (!set || isBusy) return;
    setBusy(true);
    const isDone = await attempt(async () => {
      const { text, undo } = await work(set);
      drop(set);
      const back = async () => {
        done.current = done.current.filter((one) => one !== back);
        await attempt(async () => {
          await undo();
          bringBack(await readAgain(set));
        });
      };
      done.current.push(back);
      showUndo(text, back);
    });
    setBusy(false);
    // It is not what it was: somebody else has decided, say.
    if (!isDone) reload();
  };
  return {
    isBusy,
    decide: (work: (set: DuplicateSet) => Promise<Decision>): void => void run(work),
    undoLast: (): void => void done.current.at(-1)?.(),
  };
}
