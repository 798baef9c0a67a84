import { CheckCircle2, CircleAlert, Info, WifiOff, X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { getMessage } from '../base/api.ts';
import { isOffline } from '../base/connection.ts';
import { hasFailedQueries, retryFailedQueries } from '../base/failed-queries.ts';
import { createStore, type ReadableStore, useStore } from '../base/store.ts';
import { cornerToasts } from './corner.ts';
import { openDialogs } from './top-dialog.ts';
import { shownFailures } from './shown-failures.ts';
import styles from './toast.module.css';
import { t } from '../base/i18n.ts';

type Kind = 'info' | 'success' | 'error';
/** A button of a toast, such as Undo. */
export type ToastAction = { label: string; run: () => unknown };
type Toast = {
  id: number;
  kind: Kind;
  text: string;
  name: string | undefined;
  actions: readonly ToastAction[];
};

const toasts = createStore<readonly Toast[]>([]);
export const shownToasts: ReadableStore<readonly Toast[]> = toasts;
let nextId = 1;
const SHOWN_MS = 5000;
const MOST_SHOWN = 4;

type ToastOptions = {
  actions?: readonly ToastAction[];
  /** Takes the place of an earlier one of this name. */
  name?: string;
};

export function showToast(
  text: string,
  kind: Kind = 'info',
  { actions = [], name }: ToastOptions = {},
): void {
  const id = nextId++;
  const isSame = (toast: Toast) => (name === undefined ? toast.text === text : toast.name === name);
  toasts.set((old) =>
    [...old.filter((toast) => !isSame(toast)), { id, kind, text, name, actions }].slice(
      -MOST_SHOWN,
    ),
  );
  dismissLater(id, kind === 'error' || actions.length > 0 ? SHOWN_MS * 2 : SHOWN_MS);
}

const timers = new Map<number, ReturnType<typeof setTimeout>>();
/** It stays while somebody points at it or has reached it by keys. */
function keepToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}
function dismissLater(id: number, ms = SHOWN_MS): void {
  keepToast(id);
  timers.set(
    id,
    setTimeout(() => dismiss(id), ms),
  );
}
/** Says what was done, with a way back. */
export const showUndo = (text: string, undo: () => unknown): void =>
  showToast(text, 'success', { actions: [{ label: t('Undo'), run: undo }] });
export const showError = (error: unknown): void => showToast(getMessage(error), 'error');

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

/** Runs something that may fail; when it is done, says so with a way back. True: it worked. */
export async function attemptUndoable(
  work: () => Promise<unknown>,
  done: string,
  undo: () => Promise<unknown>,
): Promise<boolean> {
  if (!(await attempt(work))) return false;
  showUndo(done, () => attempt(undo));
  return true;
}

function dismiss(id: number): void {
  keepToast(id);
  toasts.set((old) => old.filter((toast) => toast.id !== id));
}
const ICONS = { info: Info, success: CheckCircle2, error: CircleAlert };
const KIND_STYLES = { info: '', success: styles.toastSuccess, error: styles.toastError };

const FailedLine = () => (
  <p data-part="failed" className={styles.state}>
    <CircleAlert size={16} aria-hidden /> {t('Some of this page could not be loaded.')}
    <button
      className={`button small ${styles.toastAction}`}
      onClick={() => void retryFailedQueries()}
    >
      {t('Try again')}
    </button>
  </p>
);

export function Toasts() {
  const list = useStore(toasts);
  const isCut = useStore(isOffline);
  const hasFailed = useStore(hasFailedQueries);
  const hasOwnButton = useStore(shownFailures, (count) => count > 0);
  const dialog = useStore(openDialogs, (open) => open.at(-1));
  // Beside the root, which the viewer switches off while it is open; within a dialog, which switches off the rest.
  return createPortal(
    <div
      ref={cornerToasts}
      className={styles.toasts}
      role="status"
      aria-live="polite"
      aria-relevant="additions"
    >
      {list.map(({ id, kind, text, actions }) => {
        const Icon = ICONS[kind];
        return (
          <div
            key={id}
            data-part="toast"
            className={`${styles.toast} ${KIND_STYLES[kind]}`}
            onPointerEnter={() => keepToast(id)}
            onPointerLeave={() => dismissLater(id)}
            onFocus={() => keepToast(id)}
            onBlur={() => dismissLater(id)}
          >
            <Icon size={18} aria-hidden />
            <span>{text}</span>
            <div className={styles.toastButtons}>
              {actions.map(({ label, run }) => (
                <button
                  key={label}
                  className={`button small ${styles.toastAction}`}
                  onClick={() => {
                    dismiss(id);
                    run();
                  }}
                >
                  {label}
                </button>
              ))}
              <button
                className="icon-button small"
                aria-label={t('Dismiss')}
                onClick={() => dismiss(id)}
              >
                <X size={16} aria-hidden />
              </button>
            </div>
          </div>
        );
      })}
      {isCut ? (
        <p data-part="offline" className={styles.state}>
          <WifiOff size={16} aria-hidden /> {t('Offline')}
        </p>
      ) : (
        hasFailed && !hasOwnButton && <FailedLine />
      )}
    </div>,
    dialog ?? document.body,
  );
}
