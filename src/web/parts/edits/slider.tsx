import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import styles from './edits.module.css';

type Props = {
  name: string;
  value: number;
  range: { readonly minimum: number; readonly maximum: number };
  step?: number;
  unit?: string;
  onChange: (value: number) => void;
};

/** A value with 0 in its middle, to which a double click or its button takes it back. */
export function Slider({ name, value, range, step = 1, unit = '', onChange }: Props) {
  const id = useId();
  const text = `${value > 0 ? '+' : ''}${formatNumber(value)}${unit}`;
  return (
    <div className={styles.slider} onDoubleClick={() => onChange(0)}>
      <label htmlFor={id}>{name}</label>
      <output htmlFor={id}>{text}</output>
      <button
        type="button"
        className="icon-button small"
        aria-label={t('Reset: {name}', { name })}
        title={t('Reset: {name}', { name })}
        aria-disabled={value === 0}
        onClick={() => onChange(0)}
      >
        <RotateCcw size={16} aria-hidden />
      </button>
      <input
        id={id}
        type="range"
        min={range.minimum}
        max={range.maximum}
        step={step}
        value={value}
        aria-valuetext={text}
        onChange={({ target }) => onChange(Number(target.value))}
      />
    </div>
  );
}
