import type { KeyboardEvent } from 'react';
import { useTextDraft } from './use-draft.ts';
import styles from './name-field.module.css';
import { t } from '../base/i18n.ts';

type Props = { name: string; placeholder: string; onSave: (name: string) => Promise<void> };

/** A heading that can be written on. Saved when it is left or by Enter; Escape takes it back. */
export function NameField({ name: saved, placeholder, onSave }: Props) {
  const [name, setName] = useTextDraft(saved);
  const save = () => {
    if (name.trim() !== saved) void onSave(name.trim());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key === 'Escape') setName(saved);
  };
  return (
    <input
      className={styles.nameField}
      aria-label={t('Name')}
      placeholder={placeholder}
      maxLength={200}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={save}
      onKeyDown={onKeyDown}
    />
  );
}
