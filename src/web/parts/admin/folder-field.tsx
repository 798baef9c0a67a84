import { FolderSearch } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { Field } from '../../ui/form.tsx';
import { FolderPicker } from './folder-picker.tsx';

type Props = {
  path: string;
  onChange: (path: string) => void;
  placeholder: string;
  hint: string;
  error: string | undefined;
};

/** The path of a folder of the server, typed or chosen. */
export function FolderField({ path, onChange, ...field }: Props) {
  const [isPicking, setPicking] = useState(false);
  return (
    <>
      <Field
        label={t('Folder on the server')}
        name="path"
        autoComplete="off"
        spellCheck={false}
        value={path}
        onChange={({ target }) => onChange(target.value)}
        {...field}
      />
      <button type="button" className="button small" onClick={() => setPicking(true)}>
        <FolderSearch size={16} aria-hidden /> {t('Choose a folder')}
      </button>
      {isPicking &&
        // Outside the form, which its buttons would send.
        createPortal(
          <FolderPicker
            onChoose={(chosen) => {
              onChange(chosen);
              setPicking(false);
            }}
            onClose={() => setPicking(false)}
          />,
          document.body,
        )}
    </>
  );
}
