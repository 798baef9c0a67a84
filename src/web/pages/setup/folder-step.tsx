import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../base/api.ts';
import { FolderField } from '../../parts/admin/folder-field.tsx';
import {
  createLibrary,
  librariesQuery,
  libraryStateQuery,
} from '../../data/admin/library-queries.ts';
import { useIsScanning } from '../../parts/admin/use-is-scanning.ts';
import type { Library, Me } from '../../data/types.ts';
import { Form, useForm } from '../../ui/form.tsx';
import { Progress } from '../../ui/elements.tsx';
import { StepHead } from './step-head.tsx';
import styles from '../../parts/setup/setup.module.css';
import { t } from '../../base/i18n.ts';

// The same in every language.
const FOLDER_EXAMPLE = '/mnt/photos';

/** Shows a folder of the server as an external library. Its import goes on when the page is left. */
export function FolderStep({ me }: { me: Me }) {
  const [path, setPath] = useState('');
  const isScanning = useIsScanning();
  const { data: libraries = [] } = useQuery(librariesQuery(isScanning));
  const form = useForm(async () => {
    const folder = path.trim();
    const library = { name: getFolderName(folder), ownerId: me.id };
    await createLibrary(library, [folder]).catch(toPathError);
    setPath('');
  });
  return (
    <>
      <StepHead
        title={t('Add existing folders')}
        text={t(
          'Safelight can show the photos of your folders where they are. It never changes them.',
        )}
      />
      <section className="card">
        <Form state={form} action={t('Show this folder')} isOff={path.trim() === ''}>
          <FolderField
            path={path}
            onChange={setPath}
            placeholder={FOLDER_EXAMPLE}
            hint={t('Its full path. Folders below it are included.')}
            error={form.fields['path']}
          />
        </Form>
      </section>
      {libraries.length > 0 && (
        <ul className={styles.folders} aria-label={t('Folders')}>
          {libraries.map((library) => (
            <li key={library.id}>
              <Import library={library} isScanning={isScanning} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const getFolderName = (path: string): string => path.split('/').findLast(Boolean) ?? path;

/** The server names the first of the import paths. */
function toPathError(error: unknown): never {
  if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error;
  const { status, message, fields } = error;
  throw new ApiError(status, message, { path: Object.values(fields).join(' ') });
}

function Import({ library, isScanning }: { library: Library; isScanning: boolean }) {
  const { id, name, assetCount, importPaths } = library;
  const { data: state } = useQuery(libraryStateQuery(id, isScanning));
  const unread = state?.unreadFiles ?? 0;
  const isRunning = isScanning || unread > 0;
  return (
    <article className="card" aria-label={name}>
      <h2>{name}</h2>
      <code>{importPaths.join(', ')}</code>
      <p role="status">
        {t('{count, plural, one {# item} other {# items}}', { count: assetCount })}
        {unread > 0 &&
          ` · ${t('{count, plural, one {# file is still to be read} other {# files are still to be read}}', { count: unread })}`}
      </p>
      {isRunning && (
        <Progress
          value={unread > 0 ? assetCount / (assetCount + unread) : undefined}
          label={t('Read files of {name}', { name })}
        />
      )}
      {state?.scanError && <p role="alert">{state.scanError}</p>}
    </article>
  );
}
