import { type Film, isSameFilm } from './film.ts';

/** Steps that can be undone. */
const MAX_STEPS = 50;

export type History = {
  readonly past: readonly Film[];
  readonly film: Film;
  readonly future: readonly Film[];
  /**
   * The gesture of the last edit, as one movement of the mouse: its edits are one step, of which the last one
   * counts.
   */
  readonly gesture?: { readonly name: string; readonly before: History } | undefined;
};

export type HistoryAction =
  | { readonly type: 'edit'; readonly edit: (film: Film) => Film; readonly gesture?: string }
  | { readonly type: 'undo' | 'redo' }
  | { readonly type: 'open'; readonly history: History };

export const toHistory = (film: Film): History => ({ past: [], film, future: [] });

export function reduceHistory(history: History, action: HistoryAction): History {
  const { past, film, future } = history;
  switch (action.type) {
    case 'open':
      return action.history;
    case 'undo': {
      const before = past.at(-1);
      return before
        ? { past: past.slice(0, -1), film: before, future: [film, ...future] }
        : history;
    }
    case 'redo': {
      const [next, ...later] = future;
      return next ? { past: [...past, film], film: next, future: later } : history;
    }
    case 'edit': {
      const { edit, gesture: name } = action;
      const step = history.gesture?.name === name ? history.gesture : undefined;
      const before = step?.before ?? { past, film, future };
      const edited = edit(before.film);
      if (isSameFilm(edited, before.film)) return step ? before : history;
      const gesture = name === undefined ? undefined : { name, before };
      const steps = [...before.past, before.film].slice(-MAX_STEPS);
      return { past: steps, film: edited, future: [], gesture };
    }
  }
}
