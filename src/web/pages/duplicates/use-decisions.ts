import { useRef, useState } from 'react';
import { attempt, showUndo } from '../../ui/toast.tsx';
import {
  type Decision,
  type DuplicateSet,
  fetchSetAgain,
} from '../../data/duplicates/duplicate-data.ts';
import type { Sets } from './use-sets.ts';

/** Decides about one set after the other; decisions are undone one by one, the last one first. */
export function useDecisions(
  set: DuplicateSet | undefined,
  { remove, restore, reload }: Pick<Sets, 'remove' | 'restore' | 'reload'>,
) {
  const [isBusy, setBusy] = useState(false);
  const undos = useRef<(() => Promise<void>)[]>([]);

  const run = async (work: (set: DuplicateSet) => Promise<Decision>) => {
    if (!set || isBusy) return;
    setBusy(true);
    const isDone = await attempt(async () => {
      const decision = await work(set);
      remove(set);
      const undo = async () => {
        undos.current = undos.current.filter((one) => one !== undo);
        await attempt(async () => {
          await decision.undo();
          restore(await fetchSetAgain(set));
        });
      };
      undos.current.push(undo);
      showUndo(decision.text, undo);
    });
    setBusy(false);
    // The set has changed meanwhile: somebody else has decided, say.
    if (!isDone) reload();
  };
  return {
    isBusy,
    decide: (work: (set: DuplicateSet) => Promise<Decision>): void => void run(work),
    undoLast: (): void => void undos.current.at(-1)?.(),
  };
}
