import { Delete } from 'lucide-react';
import type { MouseEvent } from 'react';
import styles from './locked.module.css';
import { t } from '../../base/i18n.ts';

export const PIN_DIGITS = 6;

/** A finger has a pad; a mouse comes with a keyboard. */
export const isPadShown = (): boolean => matchMedia('(pointer: coarse)').matches;

const listFields = ({ currentTarget }: MouseEvent<HTMLButtonElement>): HTMLInputElement[] => [
  ...(currentTarget.form?.querySelectorAll<HTMLInputElement>('input.pin') ?? []),
];

function enter(event: MouseEvent<HTMLButtonElement>, digit: number): void {
  const fields = listFields(event);
  const field = fields.find(({ value }) => value.length < PIN_DIGITS);
  if (!field) return;
  field.value += digit;
  if (fields.every(({ value }) => value.length === PIN_DIGITS)) field.form?.requestSubmit();
}

function deleteLast(event: MouseEvent<HTMLButtonElement>): void {
  const field = listFields(event).findLast(({ value }) => value !== '');
  if (field) field.value = field.value.slice(0, -1);
}

/** Digits for the PIN fields of the form around it, which is sent with the last one. */
export function PinPad() {
  if (!isPadShown()) return null;
  return (
    <div className={styles.pad} role="group" aria-label={t('Digits')}>
      {[1, 2, 3, 4, 5, 6, 7, 8, 9, 0].map((digit) => (
        <button
          key={digit}
          type="button"
          className="button"
          onClick={(event) => enter(event, digit)}
        >
          {digit}
        </button>
      ))}
      <button
        type="button"
        className="button"
        aria-label={t('Delete the last digit')}
        onClick={deleteLast}
      >
        <Delete size={20} aria-hidden />
      </button>
    </div>
  );
}
