import { useEffect, useState } from 'react';
import { formatBytes } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import { Dialog } from '../ui/dialog.tsx';
import { take } from '../parts/uploads/pick-button.tsx';
import { SHARED_FILES } from '../base/service-worker-names.ts';

/** Returns the files that other apps have shared with this one, and nobody has decided about. */
async function readSharedFiles(): Promise<File[]> {
  if (!(await caches.has(SHARED_FILES))) return [];
  const cache = await caches.open(SHARED_FILES);
  const files: File[] = [];
  for (const request of await cache.keys()) {
    const name = new URL(request.url).searchParams.get('name') ?? '';
    const blob = await (await cache.match(request))?.blob();
    if (blob) files.push(new File([blob], name, { type: blob.type }));
  }
  return files;
}

const deleteSharedFiles = (): Promise<boolean> => caches.delete(SHARED_FILES);

const MOST_SHOWN = 5;

/** Asks about files that another app has shared: any site could have sent them. */
export function SharedFilesDialog({ onClose }: { onClose: () => void }) {
  const [files, setFiles] = useState<readonly File[]>();
  useEffect(() => void readSharedFiles().then(setFiles), []);
  const isEmpty = files?.length === 0;
  useEffect(() => {
    if (isEmpty) onClose();
  }, [isEmpty, onClose]);
  if (!files || isEmpty) return null;
  const close = () => {
    void deleteSharedFiles();
    onClose();
  };
  return (
    <Dialog title={t('Files from another app')} onClose={close}>
      <ul className="muted">
        {files.slice(0, MOST_SHOWN).map((file) => (
          <li key={file.name}>
            {file.name} <small>{formatBytes(file.size)}</small>
          </li>
        ))}
        {files.length > MOST_SHOWN && (
          <li>{t('and {count} more', { count: files.length - MOST_SHOWN })}</li>
        )}
      </ul>
      <div className="dialog-actions">
        <button className="button" onClick={close}>
          {t('Cancel')}
        </button>
        <button
          className="button primary"
          onClick={() => {
            take(files);
            close();
          }}
        >
          {t('Upload')}
        </button>
      </div>
    </Dialog>
  );
}
