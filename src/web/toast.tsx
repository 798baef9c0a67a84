import { CheckCircle2, CircleAlert, Info, X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { messageOf } from './api.ts';
import { createStore, useStore } from './store.ts';

type Kind = 'info' | 'success' | 'error';
type Toast = { id: number; kind: Kind; text: string };

const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;
const SHOWN_MS = 5000;
const MOST = 4;

export function showToast(text: string, kind: Kind = 'info'): void {
  const id = nextId++;
  toasts.set((old) =>
    [...old.filter((toast) => toast.text !== text), { id, kind, text }].slice(-MOST),
  );
  setTimeout(() => dismiss(id), kind === 'error' ? SHOWN_MS * 2 : SHOWN_MS);
}
export const showError = (error: unknown): void => showToast(messageOf(error), 'error');

/** Runs something that may fail and tells the person if it did. True: it worked. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done) showToast(done, 'success');
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

const dismiss = (id: number): void => toasts.set((old) => old.filter((toast) => toast.id !== id));
const ICONS = { info: Info, success: CheckCircle2, error: CircleAlert };

export function Toasts() {
  const list = useStore(toasts);
  // Beside the root: the viewer switches the root off while it is open.
  return createPortal(
    <div className="toasts" role="status" aria-live="polite" aria-relevant="additions">
      {list.map(({ id, kind, text }) => {
        const Icon = ICONS[kind];
        return (
          <div key={id} className={`toast toast-${kind}`}>
            <Icon size={18} aria-hidden />
            <span>{text}</span>
            <button className="icon-button small" aria-label="Dismiss" onClick={() => dismiss(id)}>
              <X size={16} aria-hidden />
            </button>
          </div>
        );
      })}
    </div>,
    document.body,
  );
}
