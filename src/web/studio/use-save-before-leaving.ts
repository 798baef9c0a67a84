import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useUnsavedWarning } from '../ui/use-unsaved-warning.tsx';
import type { Saver } from './saver.ts';

/** Saves the last edits before the editor is left, and asks where that fails. Returns the question. */
export const useSaveBeforeLeaving = ({ state, flush }: Saver): ReactNode =>
  useUnsavedWarning({
    isUnsaved() {
      commitTyped();
      const { status } = state.get();
      return status === 'unsaved' || status === 'failed';
    },
    async save() {
      await flush();
      return state.get().status === 'saved';
    },
  });

/** A typed value is an edit once its field is left. */
function commitTyped(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLInputElement) flushSync(() => activeElement.blur());
}
