import { Plus, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Field } from '../../ui/form.tsx';
import { IconButton } from '../../ui/elements.tsx';
import styles from '../../parts/admin/libraries.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  label: string;
  /** The name of the inputs, followed by a dot and their index; `errors` are named alike. */
  name: string;
  itemLabel: (number: number) => string;
  addLabel: string;
  hint: string;
  placeholder: string;
  texts: readonly string[];
  errors: Readonly<Record<string, string>>;
  onChange: (texts: readonly string[]) => void;
};

/** A list of texts that can be changed, added and removed. */
export function TextList(props: Props) {
  const { label, name, itemLabel, addLabel, hint, placeholder, texts, errors, onChange } = props;
  const box = useRef<HTMLFieldSetElement>(null);
  const isAdded = useRef(false);
  useEffect(() => {
    if (!isAdded.current) return;
    isAdded.current = false;
    [...(box.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
  }, [texts]);
  const remove = (index: number) => {
    onChange(texts.filter((_, at) => at !== index));
    // The button that had the focus is gone.
    box.current?.querySelector<HTMLElement>('[data-add]')?.focus();
  };
  return (
    <fieldset ref={box} className={styles.texts}>
      <legend>{label}</legend>
      {texts.map((text, index) => (
        <div key={index} className={styles.text}>
          <Field
            label={itemLabel(index + 1)}
            name={`${name}.${index}`}
            value={text}
            placeholder={placeholder}
            maxLength={4096}
            autoComplete="off"
            spellCheck={false}
            error={errors[`${name}.${index}`]}
            onChange={({ target }) => onChange(texts.with(index, target.value))}
          />
          <IconButton
            icon={X}
            label={t('Remove {name}', { name: itemLabel(index + 1) })}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      <button
        type="button"
        data-add
        className="button small"
        onClick={() => {
          isAdded.current = true;
          onChange([...texts, '']);
        }}
      >
        <Plus size={15} aria-hidden /> {addLabel}
      </button>
      <p className="field-note">{hint}</p>
    </fieldset>
  );
}
