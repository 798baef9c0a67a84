import { ChevronLeft, ChevronRight, Layers2, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../../ui/elements.tsx';
import { useFocusOnArrival } from '../../ui/use-focus-on-arrival.ts';
import styles from './duplicates.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  at: number;
  /** Shots in succession: they are stacked or stay as they are. */
  isBurst: boolean;
  total: number;
  isLast: boolean;
  kept: number;
  trashed: number;
  isBusy: boolean;
  actions: Readonly<Record<'apply' | 'keep' | 'stack' | 'next' | 'previous', () => void>>;
};

/** Which set this is, and what can be decided about it. */
export function SetHead({ at, isBurst, total, isLast, kept, trashed, isBusy, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Each set is announced, and keys are for it: not for the button of the one before. After loading there is none.
  useFocusOnArrival(heading);
  return (
    <header data-part="copies-head" className={styles.copiesHead}>
      <IconButton
        icon={ChevronLeft}
        label={t('Previous set')}
        disabled={at === 0}
        onClick={actions.previous}
      />
      <h2 ref={heading} tabIndex={-1}>
        {t('Set {at} of {total}', { at: at + 1, total })}
      </h2>
      <IconButton
        icon={ChevronRight}
        label={t('Next set')}
        disabled={isLast}
        onClick={actions.next}
      />
      <div className={`dialog-actions ${styles.copiesActions}`}>
        <button
          className={isBurst ? 'button primary' : 'button'}
          disabled={isBusy}
          onClick={actions.stack}
        >
          <Layers2 size={18} aria-hidden /> {t('Stack')} <kbd aria-hidden>S</kbd>
        </button>
        <button className="button" disabled={isBusy} onClick={actions.keep}>
          {isBurst ? t('No stack, keep all') : t('Not duplicates, keep all')}{' '}
          <kbd aria-hidden>A</kbd>
        </button>
        {!isBurst && (
          <button
            className={trashed > 0 && kept === 0 ? 'button danger' : 'button primary'}
            disabled={isBusy}
            onClick={actions.apply}
          >
            {trashed > 0 && <Trash2 size={18} aria-hidden />}
            {describeChoice(kept, trashed)}
            <kbd aria-hidden>↵</kbd>
          </button>
        )}
      </div>
    </header>
  );
}

function describeChoice(kept: number, trashed: number): string {
  if (trashed === 0) return t('Keep all {kept}', { kept });
  return kept === 0
    ? t('Trash all {trashed}', { trashed })
    : t('Keep {kept}, trash {trashed}', { kept, trashed });
}
