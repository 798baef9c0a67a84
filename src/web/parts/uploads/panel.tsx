import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  ArchiveRestore,
  Check,
  ChevronDown,
  CircleAlert,
  Copy,
  FileWarning,
  FolderPlus,
  Loader,
  Pause,
  Play,
  RotateCw,
  X,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { isGuest } from '../../base/api.ts';
import { brokenCountQuery } from '../../data/failed/queries.ts';
import { formatBytes } from '../../base/format.ts';
import { invalidateSoon } from '../../base/query-client.ts';
import { useStore } from '../../base/store.ts';
import { keys } from '../../data/query-keys.ts';
import { cornerUploads } from '../../ui/corner.ts';
import { IconButton, Progress } from '../../ui/elements.tsx';
import { useMyId } from '../../data/session/session.ts';
import { addToAlbumsByFolder, listFolders } from '../../data/uploads/folder-albums.ts';
import { ProgressNote } from './progress-note.tsx';
import { Interrupted } from './interrupted.tsx';
import { interrupted } from '../../data/uploads/interrupted-uploads.ts';
import { KeptNote } from './kept-note.tsx';
import { keptUploads } from '../../data/uploads/kept-uploads.ts';
import {
  computeTotals,
  type Item,
  type Status,
  type Totals,
  uploads,
} from '../../data/uploads/items.ts';
import {
  cancelUploads,
  clearUploads,
  openUploads,
  pauseUploads,
  resumeUploads,
  retryFailed,
} from '../../data/uploads/queue.ts';
import styles from './uploads.module.css';
import { t } from '../../base/i18n.ts';

/** The queue in the corner: stays through all pages until it is put away. */
export function UploadPanel() {
  const { items, isRunning, isPaused, isOpen } = useStore(uploads);
  const isLeft = useStore(interrupted, (list) => list.length > 0);
  const { isSafe } = useStore(keptUploads);
  useEffect(() => {
    if (!isRunning || isSafe) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning, isSafe]);
  if (items.length === 0) return isLeft ? <Interrupted isAlone /> : null;
  const totals = computeTotals(items);
  return (
    <section
      ref={cornerUploads}
      data-part="uploads"
      className={isOpen ? `${styles.uploads} ${styles.open}` : styles.uploads}
      aria-label={t('Uploads')}
    >
      <header data-part="uploads-head" className={styles.uploadsHead}>
        <p role="status">{summary(totals, isRunning, isPaused)}</p>
        {isRunning && (
          <IconButton
            icon={isPaused ? Play : Pause}
            label={isPaused ? t('Resume uploads') : t('Pause uploads')}
            onClick={isPaused ? resumeUploads : pauseUploads}
          />
        )}
        <IconButton
          icon={ChevronDown}
          label={isOpen ? t('Hide the list') : t('Show the list')}
          aria-expanded={isOpen}
          className={styles.uploadsFold}
          onClick={() => openUploads(!isOpen)}
        />
        {isRunning ? (
          <IconButton icon={X} label={t('Cancel uploads')} onClick={cancelUploads} />
        ) : (
          <IconButton icon={X} label={t('Close uploads')} onClick={clearUploads} />
        )}
      </header>
      <Progress value={totals.part} label={t('All uploads')} />
      {isRunning && !isPaused && <ProgressNote />}
      <KeptNote />
      <FolderOffer items={items} />
      {!isGuest() && <FailedLink />}
      {isOpen && <List items={items.toSorted((a, b) => RANK[a.status] - RANK[b.status])} />}
      {isLeft && !isRunning && <Interrupted />}
      {totals.retryable > 0 && !isRunning && (
        <button className={`button ${styles.uploadsRetry}`} onClick={retryFailed}>
          <RotateCw size={16} aria-hidden />{' '}
          {t('Try {failed, plural, one {# file} other {# files}} again', {
            failed: totals.retryable,
          })}
        </button>
      )}
    </section>
  );
}

/** Decoders work after the upload: what they find is asked for at this interval, in ms. */
const LOOK_MS = 4000;

/** The way to the files that a decoder could not read after their upload. */
function FailedLink() {
  const { data: count = 0 } = useQuery({ ...brokenCountQuery(), refetchInterval: LOOK_MS });
  // Of the others an event tells when their day is known.
  useEffect(() => {
    if (count > 0) invalidateSoon(keys.timeline);
  }, [count]);
  if (count === 0) return null;
  return (
    <Link href="/failed" className={`button ${styles.uploadsRetry}`}>
      <FileWarning size={16} aria-hidden />{' '}
      {t('{count, plural, one {# file} other {# files}} could not be read', { count })}
    </Link>
  );
}

/** Files of folders may go into albums of the folders' names. */
function FolderOffer({ items }: { items: readonly Item[] }) {
  const me = useMyId();
  const [isBusy, setBusy] = useState(false);
  const count = listFolders(items).length;
  if (count === 0 || me === '') return null;
  return (
    <button
      className={`button ${styles.uploadsRetry}`}
      disabled={isBusy}
      onClick={() => {
        setBusy(true);
        void addToAlbumsByFolder(me).finally(() => setBusy(false));
      }}
    >
      <FolderPlus size={16} aria-hidden />{' '}
      {t(
        '{count, plural, one {Create an album from this folder} other {Create # albums from these folders}}',
        {
          count,
        },
      )}
    </button>
  );
}

function summary(totals: Totals, isRunning: boolean, isPaused: boolean): string {
  if (isPaused) {
    return t('Paused · {settled} of {files} uploaded', {
      settled: totals.settled,
      files: totals.files,
    });
  }
  if (isRunning) {
    const percent = Math.floor(totals.part * 100);
    return t('Uploading {number} of {files} · {percent} %', {
      number: Math.min(totals.settled + 1, totals.files),
      files: totals.files,
      percent,
    });
  }
  const parts = [
    totals.created > 0
      ? t('{created, plural, one {# file} other {# files}} uploaded', { created: totals.created })
      : undefined,
    totals.duplicates > 0
      ? t('{duplicates, plural, one {# duplicate} other {# duplicates}} not uploaded again', {
          duplicates: totals.duplicates,
        })
      : undefined,
    totals.restored > 0
      ? t('{restored, plural, one {# file} other {# files}} restored from the trash', {
          restored: totals.restored,
        })
      : undefined,
    totals.failed > 0 ? t('{failed} failed', { failed: totals.failed }) : undefined,
  ];
  return parts.filter(Boolean).join(', ') || t('Nothing uploaded');
}

/** Failed items come first, finished ones last. */
const RANK: Record<Status, number> = {
  failed: 0,
  sending: 1,
  retrying: 1,
  reading: 1,
  waiting: 2,
  ready: 2,
  duplicate: 3,
  restored: 3,
  done: 4,
};
const ROW = 52;

function List({ items }: { items: readonly Item[] }) {
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 6,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  return (
    <div
      ref={box}
      data-part="uploads-list"
      className={styles.uploadsList}
      tabIndex={0}
      aria-label={t('Files')}
    >
      <ul style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          return item && <Row key={key} item={item} top={start} />;
        })}
      </ul>
    </div>
  );
}

const ICONS: Record<Status, typeof Check> = {
  waiting: Loader,
  ready: Loader,
  reading: Loader,
  sending: Loader,
  retrying: RotateCw,
  done: Check,
  duplicate: Copy,
  restored: ArchiveRestore,
  failed: CircleAlert,
};

const STATUS_STYLES: Partial<Record<Status, string | undefined>> = {
  reading: styles.uploadReading,
  sending: styles.uploadSending,
  retrying: styles.uploadRetrying,
  done: styles.uploadDone,
  failed: styles.uploadFailed,
};

function Row({ item, top }: { item: Item; top: number }) {
  const Icon = ICONS[item.status];
  return (
    <li
      data-status={item.status}
      className={`${styles.upload} ${STATUS_STYLES[item.status] ?? ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Icon size={18} aria-hidden />
      <span className={styles.uploadName} title={item.name}>
        {item.name}
        {item.isLive && <small className={styles.uploadLive}>{t('Live photo')}</small>}
      </span>
      <span className={styles.uploadNote}>{note(item)}</span>
      {item.status === 'sending' && (
        <Progress value={item.sent / Math.max(1, item.size)} label={item.name} />
      )}
    </li>
  );
}

function note({ status, size, sent, error, album }: Item): string {
  switch (status) {
    case 'waiting':
    case 'ready':
      return formatBytes(size);
    case 'reading':
      return t('Checking …');
    case 'sending':
      return t('{sent} of {size}', { sent: formatBytes(sent), size: formatBytes(size) });
    case 'retrying':
      return t('{error} Trying again …', { error });
    case 'done':
      return album
        ? t('Uploaded to {albumName}', { albumName: album.albumName || t('the album') })
        : t('Uploaded');
    case 'duplicate':
      return isGuest() ? t('Already here') : t('Already in your library');
    case 'restored':
      return t('Restored from trash');
    case 'failed':
      return error ?? t('Failed');
  }
}
