import { type KeyboardEvent, useRef, useState } from 'react';
import styles from './in-place-text.module.css';

type Props = {
  text: string;
  /** Shown until it is clicked, such as an invitation to write where there is no text. */
  shown: string;
  label: string;
  /** May have several lines. */
  isLong?: boolean;
  maxLength?: number;
  onSave: (text: string) => Promise<unknown>;
};

/** A text that is a field while it is changed. Saved when it is left, one line by Enter, too; Escape takes it back. */
export function InPlaceText({ text, shown, label, isLong = false, maxLength, onSave }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isCancelled = useRef(false);
  if (!isOpen) {
    return (
      <button
        className={text ? styles.text : `${styles.text} ${styles.none}`}
        title={label}
        onClick={() => setOpen(true)}
      >
        {shown}
      </button>
    );
  }
  const Field = isLong ? 'textarea' : 'input';
  return (
    <Field
      className={styles.field}
      aria-label={label}
      maxLength={maxLength}
      defaultValue={text}
      autoFocus
      onFocus={() => {
        isCancelled.current = false;
      }}
      onBlur={({ currentTarget: { value } }) => {
        setOpen(false);
        if (!isCancelled.current && value.trim() !== text) void onSave(value.trim());
      }}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
        event.stopPropagation();
        isCancelled.current = event.key === 'Escape';
        if (isCancelled.current || (event.key === 'Enter' && !isLong)) event.currentTarget.blur();
      }}
    />
  );
}
