import { createStore, type ReadableStore } from '../base/store.ts';

const count = createStore(0);
/** The number of failures on the screen that have a button to try again. */
export const shownFailures: ReadableStore<number> = count;

/** Counts a failure as shown until the returned function is called. */
export function showFailure(): () => void {
  count.set((old) => old + 1);
  return () => count.set((old) => old - 1);
}
