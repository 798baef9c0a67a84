import { type ComponentProps, useState } from 'react';
import { isSame } from '../../../data/admin/config/config-data.ts';
import type { Options } from '../../../data/admin/config/members.ts';
import styles from './config.module.css';

/** Other programs may write values that the page has no name for. */
export const withOption = (options: Options, value: string): Options =>
  value in options ? options : { ...options, [value]: value };

type ChoicesProps = {
  id: string;
  describedBy: string | undefined;
  isOff: boolean;
  title: string;
  options: Options;
  value: readonly string[];
  onChange: (value: string[]) => void;
};

/** Any of the options. */
export function Choices(props: ChoicesProps) {
  const { id, describedBy, isOff, title, options, value, onChange } = props;
  const all = Object.keys(options);
  return (
    <fieldset className={styles.choices} id={id} disabled={isOff} aria-describedby={describedBy}>
      <legend>{title}</legend>
      {all.map((option) => (
        <label key={option} className="check">
          <input
            type="checkbox"
            checked={value.includes(option)}
            onChange={({ target }) =>
              onChange(all.filter((one) => (one === option ? target.checked : value.includes(one))))
            }
          />{' '}
          {options[option]}
        </label>
      ))}
    </fieldset>
  );
}

type LinesProps = Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> & {
  value: readonly string[];
  onChange: (value: string[]) => void;
};

/** A list of texts, one on each line. Empty lines stay while somebody writes. */
export function Lines({ value, onChange, ...rest }: LinesProps) {
  const [text, setText] = useState(value.join('\n'));
  const shown = isSame(toLines(text), value) ? text : value.join('\n');
  return (
    <textarea
      {...rest}
      rows={4}
      spellCheck={false}
      value={shown}
      onChange={({ target }) => {
        setText(target.value);
        onChange(toLines(target.value));
      }}
    />
  );
}

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
