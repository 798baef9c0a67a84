import { useId, useState } from 'react';
import type { Library, Me } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { FolderPicker } from '../../parts/admin/folder-picker.tsx';
import {
  changeLibrary,
  createLibrary,
  requireValidPaths,
} from '../../data/admin/library-queries.ts';
import { TextList } from './text-list.tsx';
import { t } from '../../base/i18n.ts';

type Props = {
  me: Me;
  accounts: readonly Me[];
  /** Undefined: a new one is made. */
  library?: Library;
  onClose: () => void;
};

// The same in every language.
const FOLDER_EXAMPLE = '/mnt/photos';
const PATTERN_EXAMPLE = '**/Raw/**';

const withoutEmpty = (texts: readonly string[]): string[] =>
  texts.map((text) => text.trim()).filter(Boolean);

export function LibraryDialog({ me, accounts, library, onClose }: Props) {
  const [paths, setPaths] = useState<readonly string[]>(library?.importPaths ?? ['']);
  const [patterns, setPatterns] = useState<readonly string[]>(library?.exclusionPatterns ?? []);
  const [isPicking, setPicking] = useState(false);
  const ownerId = useId();
  const form = useForm(async (values) => {
    const name = values['name'];
    const importPaths = withoutEmpty(paths);
    const exclusionPatterns = withoutEmpty(patterns);
    // The server counts what it is sent.
    setPaths(importPaths);
    setPatterns(exclusionPatterns);
    if (library) {
      await requireValidPaths(library.id, importPaths);
      await changeLibrary(library.id, { name, importPaths, exclusionPatterns });
    } else {
      const ownerId = values['ownerId'];
      const patterns = exclusionPatterns.length > 0 && { exclusionPatterns };
      await createLibrary({ name, ownerId, ...patterns }, importPaths);
    }
    onClose();
  });
  const choose = (path: string) => {
    setPaths([...withoutEmpty(paths), path]);
    setPicking(false);
  };
  return (
    <>
      <Dialog
        title={library ? t('Edit {name}', { name: library.name }) : t('New library')}
        onClose={onClose}
      >
        <Form state={form} action={library ? t('Save') : t('Create and scan')}>
          <Field
            label={t('Name')}
            name="name"
            required
            autoFocus
            maxLength={300}
            autoComplete="off"
            defaultValue={library?.name}
            error={form.fields['name']}
          />
          {!library && (
            <div className="field">
              <label htmlFor={ownerId}>{t('Owner')}</label>
              <select id={ownerId} name="ownerId" defaultValue={me.id}>
                {accounts.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
          )}
          <TextList
            label={t('Folders')}
            name="importPaths"
            itemLabel={(number) => t('Folder {number}', { number })}
            addLabel={t('Add a folder')}
            hint={t('Full paths on the server. Folders below them are included.')}
            placeholder={FOLDER_EXAMPLE}
            texts={paths}
            errors={form.fields}
            onChange={setPaths}
          />
          <button type="button" className="button small" onClick={() => setPicking(true)}>
            {t('Choose a folder')}
          </button>
          <TextList
            label={t('Exclusions')}
            name="exclusionPatterns"
            itemLabel={(number) => t('Exclusion {number}', { number })}
            addLabel={t('Add an exclusion')}
            hint={
              library
                ? t('Files with such a path are skipped from the next scan on.')
                : t('Without any, previews and recycle bins of NAS systems are left out.')
            }
            placeholder={PATTERN_EXAMPLE}
            texts={patterns}
            errors={form.fields}
            onChange={setPatterns}
          />
        </Form>
      </Dialog>
      {isPicking && <FolderPicker onChoose={choose} onClose={() => setPicking(false)} />}
    </>
  );
}
