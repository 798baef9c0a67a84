import { useEffect, useId } from 'react';
import { useDraft } from '../../ui/use-draft.ts';
import { useLatest } from '../../ui/use-latest.ts';

type Props = {
  label: string;
  value: number;
  min: number;
  max?: number;
  onChange: (value: number) => void;
};

/** Takes effect when it is left, also by what is shown in its place, or by Enter. */
export function NumberField({ label, value, min, max = Infinity, onChange }: Props) {
  const id = useId();
  const shown = String(Math.round(value * 1000) / 1000);
  const [text, setText] = useDraft(shown);
  const commit = () => {
    const number = Number(text);
    const isValid = text.trim() !== '' && Number.isFinite(number);
    if (text === shown) return;
    // As long as it is not another value: not all that is typed fits into the film.
    setText(shown);
    if (isValid) onChange(Math.min(max, Math.max(min, number)));
  };
  const commitLatest = useLatest(commit);
  // A field that is taken away is not told that it is left.
  useEffect(() => () => commitLatest.current(), [commitLatest]);
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
