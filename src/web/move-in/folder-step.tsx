import { useQuery } from '@tanstack/react-query';
import { FolderSearch } from 'lucide-react';
import { useId, useState } from 'react';
import { FolderPicker } from '../admin/folder-picker.tsx';
import { accountsQuery } from '../albums/queries.ts';
import { t } from '../i18n.ts';
import type { Me } from '../types.ts';
import { Field, Form, useForm } from '../ui/form.tsx';
import { checkFolder } from './move-in-data.ts';

// The same in every language.
const FOLDER_EXAMPLE = '/mnt/Takeout';

/** The folder of an export, or of another program, on the machine of this server. */
export function FolderStep({ me }: { me: Me }) {
  const [path, setPath] = useState('');
  const [isPicking, setPicking] = useState(false);
  const { data: accounts = [me] } = useQuery(accountsQuery());
  const ownerId = useId();
  const form = useForm((values) =>
    checkFolder({
      path: path.trim(),
      ownerId: values['ownerId'] || me.id,
      albumsFromFolders: values['albumsFromFolders'] === 'on',
      peopleAsTags: values['peopleAsTags'] === 'on',
    }),
  );
  return (
    <>
      <p>
        {t(
          'For Google Takeout and iCloud, unpack all archives into one folder. PhotoPrism: the folder with “originals” and “storage”. Synology and others: the folder of the photos.',
        )}
      </p>
      <Form state={form} action={t('Check')} isOff={path.trim() === ''}>
        <Field
          label={t('Folder on the server')}
          name="path"
          placeholder={FOLDER_EXAMPLE}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={({ target }) => setPath(target.value)}
          hint={t('Its full path. Files are copied, and nothing is changed there.')}
          error={form.fields['path']}
        />
        <button type="button" className="button small" onClick={() => setPicking(true)}>
          <FolderSearch size={16} aria-hidden /> {t('Choose a folder')}
        </button>
        {accounts.length > 1 && (
          <div className="field">
            <label htmlFor={ownerId}>{t('Into the library of')}</label>
            <select id={ownerId} name="ownerId" defaultValue={me.id}>
              {accounts.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        )}
        <Choice
          name="albumsFromFolders"
          label={t('Make an album of each folder that is no album of an export')}
        />
        <Choice name="peopleAsTags" label={t('Turn names of people in an export into tags')} />
      </Form>
      {isPicking && (
        <FolderPicker
          onChoose={(chosen) => {
            setPath(chosen);
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      )}
    </>
  );
}

const Choice = ({ name, label }: { name: string; label: string }) => (
  <label className="check">
    <input type="checkbox" name={name} /> {label}
  </label>
);
