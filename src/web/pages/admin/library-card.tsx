import { useQuery } from '@tanstack/react-query';
import { Pencil, RefreshCw, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { formatAgo, formatNumber } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Library, LibraryState } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { IconButton, Progress } from '../../ui/elements.tsx';
import {
  confirmMissing,
  libraryStateQuery,
  scanLibrary,
} from '../../data/admin/library-queries.ts';
import styles from '../../parts/admin/libraries.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  library: Library;
  owner: string;
  isScanning: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

export function LibraryCard({ library, owner, isScanning, onEdit, onDelete }: Props) {
  const { id, name, assetCount, importPaths, refreshedAt } = library;
  const { data: state } = useQuery(libraryStateQuery(id, isScanning));
  return (
    <article className="card" aria-label={name}>
      <header className="card-head">
        <div className={styles.name}>
          <h2>{name}</h2>
          <p className="muted">{owner}</p>
        </div>
        <span className={styles.actions}>
          <IconButton icon={Pencil} label={t('Edit {name}', { name })} onClick={onEdit} />
          <IconButton icon={Trash2} label={t('Delete {name}', { name })} onClick={onDelete} />
        </span>
      </header>
      {state && <Notices state={state} library={library} />}
      <dl className="counts two">
        <div className="count">
          <dt>{t('Items')}</dt>
          <dd>{formatNumber(assetCount)}</dd>
        </div>
        <div className="count">
          <dt>{t('Last scan')}</dt>
          <dd>{refreshedAt ? formatAgo(refreshedAt) : t('never')}</dd>
        </div>
      </dl>
      {importPaths.length > 0 ? (
        <ul className={styles.paths} aria-label={t('Folders of {name}', { name })}>
          {importPaths.map((path) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">{t('No folders yet')}</p>
      )}
      <div className="card-actions">
        <button
          className="button small"
          disabled={importPaths.length === 0}
          onClick={() => void attempt(() => scanLibrary(id), t('Scan started'))}
        >
          <RefreshCw size={15} aria-hidden /> {t('Scan now')}
        </button>
      </div>
    </article>
  );
}

type NoticesProps = { state: LibraryState; library: Library };

function Notices({ state, library }: NoticesProps) {
  const { scanError, scanNote, unconfirmedFiles, missingFiles, unreadFiles, refusedFiles } = state;
  const { watchMode, watchReason, unwrittenSidecars, sidecarError } = state;
  const { id, name, assetCount } = library;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {scanError && (
        <div className={styles.notice} role="status">
          <TriangleAlert size={18} aria-hidden />
          <p>
            <b>{t('Not all files could be seen.')}</b> {scanError}
          </p>
        </div>
      )}
      {scanNote && <p className="muted">{scanNote}</p>}
      {unconfirmedFiles > 0 && (
        <div className={styles.notice} role="status">
          <TriangleAlert size={18} aria-hidden />
          <p>
            <b>
              {t('{count, plural, one {# file is gone.} other {# files are gone.}}', {
                count: unconfirmedFiles,
              })}
            </b>{' '}
            {t('Nothing was changed. Is a disk missing? If you deleted the files, confirm it.')}
          </p>
          <button className="button small" onClick={() => setAsking(true)}>
            {t('Confirm …')}
          </button>
        </div>
      )}
      {unreadFiles > 0 && (
        <div className={styles.progress} role="status">
          <p>
            {t(
              '{count, plural, one {# file is still to be read} other {# files are still to be read}}',
              {
                count: unreadFiles,
              },
            )}
          </p>
          <Progress
            value={assetCount / (assetCount + unreadFiles)}
            label={t('Read files of {name}', { name })}
          />
        </div>
      )}
      {missingFiles > 0 && (
        <p className="muted">
          {t(
            '{count, plural, one {# file is missing: its item is offline} other {# files are missing: their items are offline}}',
            {
              count: missingFiles,
            },
          )}
        </p>
      )}
      {refusedFiles > 0 && (
        <p className="muted">
          {t('{count, plural, one {# file could not be read} other {# files could not be read}}', {
            count: refusedFiles,
          })}
        </p>
      )}
      {unwrittenSidecars > 0 && (
        <p className="muted">
          {t(
            '{count, plural, one {The changes of # item are not in its XMP file yet.} other {The changes of # items are not in their XMP files yet.}}',
            { count: unwrittenSidecars },
          )}{' '}
          {sidecarError}
        </p>
      )}
      {watchMode === 'events' && (
        <p className="muted">{t('New and changed files are added at once.')}</p>
      )}
      {watchMode === 'polling' && (
        <p className="muted">
          {t('Its folders cannot be watched: a scan looks for changes every 10 minutes.')}{' '}
          {watchReason}
        </p>
      )}
      {isAsking && (
        <Confirm
          title={t(
            '{count, plural, one {Is # file of “{name}” gone?} other {Are # files of “{name}” gone?}}',
            { count: unconfirmedFiles, name },
          )}
          text={t(
            'Their items are marked as offline and go to the trash after a month. They come back when a scan finds the files again.',
          )}
          action={t('Files are gone')}
          onClose={() => setAsking(false)}
          onConfirm={() => void attempt(() => confirmMissing(id), t('Confirmed'))}
        />
      )}
    </>
  );
}
