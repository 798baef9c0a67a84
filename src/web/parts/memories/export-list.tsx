import { useQuery } from '@tanstack/react-query';
import { Clapperboard, Download, FolderArchive, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { toUrl } from '../../base/api.ts';
import { attempt } from '../../ui/toast.tsx';
import type { MemoryExport } from '../../data/types.ts';
import { IconButton, Progress } from '../../ui/elements.tsx';
import {
  cancelExport,
  computeProgress,
  deleteExport,
  describeExport,
  getExportsPath,
  isActive,
  saveToLibrary,
  useExports,
} from '../../data/memories/export-data.ts';
import { memoryQuery } from '../../data/memories/queries.ts';
import styles from './exports.module.css';
import { t } from '../../base/i18n.ts';

/** Exports of all memories that are under way or can be downloaded. Nothing while there are none. */
export function RecentExports() {
  const { data } = useExports();
  const runs = (data ?? []).filter((run) => isActive(run) || run.isDownloadable);
  if (runs.length === 0) return null;
  return (
    <section className={styles.recent}>
      <h2>{t('Exports')}</h2>
      <ExportList runs={runs} isNamed />
    </section>
  );
}

type Props = {
  runs: readonly MemoryExport[];
  /** Says whose they are, too. */
  isNamed?: boolean;
};

export function ExportList({ runs, isNamed = false }: Props) {
  return (
    <ul className={styles.runs} aria-label={t('Exports')}>
      {runs.map((run) => (
        <li key={run.id}>
          {run.kind === 'archive' ? (
            <FolderArchive size={22} aria-hidden />
          ) : (
            <Clapperboard size={22} aria-hidden />
          )}
          <div className={styles.words}>
            <strong>{run.kind === 'archive' ? t('ZIP file') : t('Film')}</strong>
            {isNamed && <MemoryName id={run.memoryId} />}
            <small>{describeExport(run)}</small>
            {run.error && <small>{run.error}</small>}
          </div>
          <Act run={run} />
          {isActive(run) && <Progress value={computeProgress(run)} label={describeExport(run)} />}
        </li>
      ))}
    </ul>
  );
}

function MemoryName({ id }: { id: string }) {
  const { data } = useQuery(memoryQuery(id));
  return <Link href={getExportsPath(id)}>{data?.name ?? t('Memory')}</Link>;
}

function Act({ run }: { run: MemoryExport }) {
  const { id, status, libraryAssetId } = run;
  if (status === 'cancelling') return null;
  if (isActive(run)) {
    return (
      <button className="button small" onClick={() => void attempt(() => cancelExport(id))}>
        {t('Cancel')}
      </button>
    );
  }
  return (
    <>
      <IconButton
        icon={Trash2}
        label={t('Delete this export')}
        className="small"
        onClick={() => void attempt(() => deleteExport(id))}
      />
      {run.isDownloadable && (
        <div className={styles.actions}>
          <a
            className="button small primary"
            href={toUrl(`/memories/exports/${id}/download`)}
            download
          >
            <Download size={16} aria-hidden /> {t('Download')}
          </a>
          {run.canSaveToLibrary && (
            <button
              className="button small"
              onClick={() => void attempt(() => saveToLibrary(id), t('Saved to your library'))}
            >
              {t('Save to library')}
            </button>
          )}
          {libraryAssetId && (
            <Link className="button small" href={`/photos/${libraryAssetId}`}>
              {t('Show in library')}
            </Link>
          )}
        </div>
      )}
    </>
  );
}
