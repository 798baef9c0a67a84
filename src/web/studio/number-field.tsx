import { useId } from 'react';
import { useDraft } from '../ui/use-draft.ts';

type Props = {
  label: string;
  value: number;
  min: number;
  max?: number;
  onChange: (value: number) => void;
};

/** Takes effect when it is left, or by Enter. */
export function NumberField({ label, value, min, max = Infinity, onChange }: Props) {
  const id = useId();
  const shown = String(Math.round(value * 1000) / 1000);
  const [text, setText] = useDraft(shown);
  const commit = () => {
    const number = Number(text);
    const isValid = text.trim() !== '' && Number.isFinite(number);
    if (!isValid || text === shown) return setText(shown);
    const limited = Math.min(max, Math.max(min, number));
    setText(String(limited));
    onChange(limited);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        inputMode="decimal"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit();
          if (key === 'Escape') setText(shown);
        }}
      />
    </div>
  );
}
