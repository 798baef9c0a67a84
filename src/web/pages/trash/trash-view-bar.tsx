import { useEffect, useRef } from 'react';
import { useStore } from '../../base/store.ts';
import { useDraft } from '../../ui/use-draft.ts';
import { type TrashView, SORTS, trashView } from './trash-list.ts';
import styles from '../../parts/trash/trash.module.css';
import { t } from '../../base/i18n.ts';

const KINDS = [
  { type: '', label: t('Photos and videos') },
  { type: 'IMAGE', label: t('Photos') },
  { type: 'VIDEO', label: t('Videos') },
  { type: 'AUDIO', label: t('Audio') },
] as const;
const PAUSE_MS = 300;

/** Which control was used: the head of the page is made anew when the trash is shown otherwise. */
let inUse: string | undefined;

/** In which order the trash is shown, and what of it. */
export function TrashViewBar() {
  const bar = useRef<HTMLDivElement>(null);
  const view = useStore(trashView);
  const [words, setWords] = useDraft(view.query);
  useEffect(() => {
    const timer = setTimeout(() => {
      setView((old) => (old.query === words ? old : { ...old, query: words }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  useEffect(() => {
    const control = inUse && bar.current?.querySelector<HTMLElement>(`[aria-label="${inUse}"]`);
    inUse = undefined;
    if (!control) return;
    control.focus();
    if (control instanceof HTMLInputElement) {
      control.setSelectionRange(control.value.length, control.value.length);
    }
  }, []);
  const choose = (change: Partial<TrashView>) => setView((old) => ({ ...old, ...change }));
  return (
    <div
      ref={bar}
      data-part="look-bar"
      className={styles.lookBar}
      role="group"
      aria-label={t('What is shown')}
    >
      <select
        aria-label={t('Order')}
        value={view.sort}
        onChange={({ target }) => choose({ sort: target.value as TrashView['sort'] })}
      >
        {SORTS.map(({ sort, label }) => (
          <option key={sort} value={sort}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={t('Kind')}
        value={view.type}
        onChange={({ target }) => choose({ type: target.value as TrashView['type'] })}
      >
        {KINDS.map(({ type, label }) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </select>
      <input
        className="find-input"
        type="search"
        aria-label={t('Find by name')}
        placeholder={t('Find by name')}
        maxLength={255}
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
    </div>
  );
}

function setView(change: (old: TrashView) => TrashView): void {
  const { activeElement } = document;
  inUse = activeElement?.closest('[data-part=look-bar]')
    ? (activeElement.ariaLabel ?? undefined)
    : undefined;
  trashView.set(change);
}
