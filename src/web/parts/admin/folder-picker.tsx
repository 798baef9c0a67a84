import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CornerLeftUp, Folder } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import collectionStyles from '../../ui/collections.module.css';
import styles from './libraries.module.css';
import { libraryFoldersQuery } from '../../data/admin/library-queries.ts';

type Props = { onChoose: (path: string) => void; onClose: () => void };

/** Chooses a folder of the server, below those that administrators have configured. */
export function FolderPicker({ onChoose, onClose }: Props) {
  const [path, setPath] = useState<string>();
  const place = useRef<HTMLParagraphElement>(null);
  const { data, error } = useQuery({
    ...libraryFoldersQuery(path),
    placeholderData: keepPreviousData,
  });
  const shown = data?.path;
  useEffect(() => {
    // The button that had the focus is gone.
    if (shown !== undefined) place.current?.focus();
  }, [shown]);
  return (
    <Dialog title={t('Choose a folder')} onClose={onClose}>
      {error && <p role="alert">{error.message}</p>}
      {data && (
        <>
          <p ref={place} tabIndex={-1} className={styles.place}>
            {data.path ? (
              <code>{data.path}</code>
            ) : (
              t('Only folders below those of the settings are shown. Others can be typed.')
            )}
          </p>
          {data.fault && <p role="status">{data.fault}</p>}
          <ul className={collectionStyles.picker} aria-label={t('Folders')}>
            {data.path && (
              <li>
                <button
                  className={collectionStyles.pickerEntry}
                  onClick={() => setPath(data.parent ?? undefined)}
                >
                  <CornerLeftUp size={18} aria-hidden /> {t('Up one folder')}
                </button>
              </li>
            )}
            {data.folders.map((folder) => (
              <li key={folder}>
                <button className={collectionStyles.pickerEntry} onClick={() => setPath(folder)}>
                  <Folder size={18} aria-hidden />{' '}
                  {data.path ? folder.slice(folder.lastIndexOf('/') + 1) : folder}
                </button>
              </li>
            ))}
          </ul>
          {data.folders.length === 0 && <p className="muted">{t('No folders in here')}</p>}
          {data.isTruncated && <p className="muted">{t('Not all folders are shown.')}</p>}
          <div className="dialog-actions">
            <button
              className="button primary"
              disabled={!data.path || data.fault !== null}
              onClick={() => data.path && onChoose(data.path)}
            >
              {t('Choose this folder')}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
