import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from '../base/i18n.ts';
import { openModal } from './top-dialog.ts';

type Props = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** A wider box, for lists. */
  isWide?: boolean;
};

/** Lines that are typed into, and choices of a form; not those of a list. */
const FIELDS = ':is(form, .field, .check) :is(input, select, textarea):enabled';

/** A modal box on the browser's own dialog: it keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, isWide = false }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = box.current;
    const before = document.activeElement;
    const close = element && openModal(element);
    // `autoFocus` comes too early: until it is open, nothing in it can have the focus.
    element?.querySelector<HTMLElement>(FIELDS)?.focus({ preventScroll: true });
    return () => {
      close?.();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={box}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div className="dialog-body">
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button className="icon-button" aria-label={t('Close')} onClick={onClose}>
            <X size={20} aria-hidden />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  text: string;
  action: string;
  /** Nothing is lost by it. */
  isHarmless?: boolean;
  onConfirm: () => void;
  onClose: (isConfirmed: boolean) => void;
};

export function Confirm({
  title,
  text,
  action,
  isHarmless = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <p className="muted">{text}</p>
      <div className="dialog-actions">
        <button className="button" onClick={() => onClose(false)}>
          {t('Cancel')}
        </button>
        <button
          className={`button ${isHarmless ? 'primary' : 'danger'}`}
          onClick={() => {
            onClose(true);
            onConfirm();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
