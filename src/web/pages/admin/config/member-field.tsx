import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { formatList, formatNumber } from '../../../base/format.ts';
import { isSame } from '../../../data/admin/config/config-data.ts';
import type { Member } from '../../../data/admin/config/members.ts';
import { Choices, Lines, withOption } from './controls.tsx';
import styles from './config.module.css';
import { t } from '../../../base/i18n.ts';

type Props = {
  member: Member;
  value: unknown;
  defaultValue: unknown;
  /** The flag of the command line, which sets the member; undefined: it is not set there. */
  flag: string | undefined;
  error: string | undefined;
  onChange: (value: unknown) => void;
};

/** A member of the configuration with its help, or what the server says against its value. */
export function MemberField(props: Props) {
  const { member, value, defaultValue, flag, error, onChange } = props;
  const { title, help } = member;
  const id = useId();
  const defaultText = describeValue(member, defaultValue ?? '');
  const notes = [help, flag && t('Set by {flag}', { flag })].filter(Boolean);
  const control = (
    <Control
      {...props}
      id={id}
      describedBy={error || notes.length > 0 ? `${id}-note` : undefined}
    />
  );
  return (
    <div className={`field ${styles.member}`}>
      {member.kind === 'switch' && (
        <label className="check">
          {control} {title}
        </label>
      )}
      {member.kind === 'choices' && control}
      {member.kind !== 'switch' && member.kind !== 'choices' && (
        <>
          <label htmlFor={id}>{title}</label>
          {control}
        </>
      )}
      {(error || notes.length > 0) && (
        <p id={`${id}-note`} className={error ? 'field-note error' : 'field-note'}>
          {error ?? notes.join(' ')}
        </p>
      )}
      {!flag && member.kind !== 'secret' && !isSame(value, defaultValue) && (
        <button
          type="button"
          className="button small"
          aria-label={t('Reset to {value}: {title}', { value: defaultText, title })}
          onClick={() => {
            onChange(defaultValue);
            // The button goes, and would take the focus with it.
            document.getElementById(id)?.focus();
          }}
        >
          <RotateCcw size={15} aria-hidden /> {t('Reset to {value}', { value: defaultText })}
        </button>
      )}
    </div>
  );
}

type ControlProps = Props & { id: string; describedBy: string | undefined };

function Control({ member, value, flag, error, onChange, id, describedBy }: ControlProps) {
  const common = {
    id,
    disabled: flag !== undefined,
    'aria-describedby': describedBy,
    'aria-invalid': error ? (true as const) : undefined,
  };
  const onText = ({ target }: { target: { value: string } }) => onChange(target.value);
  switch (member.kind) {
    case 'switch':
      return (
        <input
          {...common}
          type="checkbox"
          role="switch"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case 'number':
      return (
        <input
          {...common}
          type="number"
          step="any"
          value={value as number | ''}
          onChange={({ target }) => onChange(target.value === '' ? '' : Number(target.value))}
        />
      );
    case 'optional-number':
      return (
        <input
          {...common}
          type="number"
          step="any"
          value={(value as number | null) ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
        />
      );
    case 'choice':
      return (
        <select {...common} value={String(value)} onChange={onText}>
          {Object.entries(withOption(member.options, String(value))).map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'choices':
      return (
        <Choices
          id={id}
          describedBy={describedBy}
          isOff={common.disabled}
          title={member.title}
          options={member.options}
          value={value as string[]}
          onChange={onChange}
        />
      );
    case 'lines':
      return <Lines {...common} value={value as string[]} onChange={onChange} />;
    case 'secret':
      return (
        <input
          {...common}
          type="password"
          autoComplete="new-password"
          value={String(value)}
          onChange={onText}
        />
      );
    case 'long-text':
      return <textarea {...common} rows={3} value={String(value)} onChange={onText} />;
    case 'text':
      return (
        <input {...common} type="text" autoComplete="off" value={String(value)} onChange={onText} />
      );
  }
}

function describeValue(member: Member, value: unknown): string {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (typeof value === 'number') return formatNumber(value);
  const words = Array.isArray(value) ? (value as string[]) : [String(value)];
  const labels = words.map((word) => ('options' in member ? member.options[word] : word) ?? word);
  return formatList(labels) || t('empty');
}
