import { createStore } from '../base/store.ts';

/** The open dialogs, the topmost last: a modal dialog makes everything outside of it inert. */
export const openDialogs = createStore<readonly HTMLElement[]>([]);

/** Opens a modal dialog, above the others. Returns what closes it. */
export function openModal(element: HTMLDialogElement): () => void {
  element.showModal();
  openDialogs.set((old) => [...old, element]);
  return () => {
    element.close();
    openDialogs.set((old) => old.filter((other) => other !== element));
  };
}
