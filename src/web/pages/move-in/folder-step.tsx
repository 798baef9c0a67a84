import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { FolderField } from '../../parts/admin/folder-field.tsx';
import { accountsQuery } from '../../data/albums/queries.ts';
import { t } from '../../base/i18n.ts';
import type { Me } from '../../data/types.ts';
import { Form, useForm } from '../../ui/form.tsx';
import { checkFolder } from '../../data/move-in/move-in-data.ts';
import { ExportChoices, readExportChoices } from './export-choices.tsx';

// The same in every language.
const FOLDER_EXAMPLE = '/mnt/Takeout';

/** The folder of an export, or of another program, on the machine of this server. */
export function FolderStep({ me }: { me: Me }) {
  const [path, setPath] = useState('');
  const { data: accounts = [me] } = useQuery(accountsQuery());
  const ownerId = useId();
  const form = useForm((values) =>
    checkFolder({
      path: path.trim(),
      ownerId: values['ownerId'] || me.id,
      ...readExportChoices(values),
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
        <FolderField
          path={path}
          onChange={setPath}
          placeholder={FOLDER_EXAMPLE}
          hint={t('Its full path. Files are copied, and nothing is changed there.')}
          error={form.fields['path']}
        />
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
        <ExportChoices />
      </Form>
    </>
  );
}
