import { FolderUp, Upload } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { showToast } from '../../ui/toast.tsx';
import { IconButton } from '../../ui/elements.tsx';
import styles from './uploads.module.css';
import { t } from '../../base/i18n.ts';
import { isGuest } from '../../base/api.ts';
import { uploadAlbum } from '../../data/uploads/album.ts';
import { getFolder, isWorthSending } from '../../data/uploads/collect.ts';
import { pairFiles } from '../../data/uploads/pairs.ts';
import { sortSidecars } from '../../data/uploads/sidecars.ts';
import { startUploads } from '../../data/uploads/queue.ts';
import { addItems } from '../../data/uploads/works.ts';

export function take(files: readonly File[]): void {
  if (addFiles(files) === 0) showToast(t('There is no photo or video in there.'));
}

const ACCEPTED =
  'image/*,video/*,audio/*,.heic,.heif,.dng,.cr2,.cr3,.nef,.arw,.raf,.orf,.rw2,.jxl,.insp,.insv,.mts,.m2ts,.xmp';

type InputProps = { of: RefObject<HTMLInputElement | null>; isFolder?: boolean };

function FileInput({ of, isFolder = false }: InputProps) {
  useEffect(() => {
    if (isFolder) of.current?.setAttribute('webkitdirectory', '');
  }, [of, isFolder]);
  return (
    <input
      ref={of}
      type="file"
      multiple
      hidden
      accept={isFolder ? undefined : ACCEPTED}
      aria-label={isFolder ? t('Folder to upload') : t('Files to upload')}
      onChange={(event) => {
        take([...(event.target.files ?? [])]);
        event.target.value = '';
      }}
    />
  );
}

/** Opens the dialog of the system to choose files, from anywhere. */
export function pickFiles(): void {
  const input = document.createElement('input');
  Object.assign(input, { type: 'file', multiple: true, accept: ACCEPTED });
  input.addEventListener('change', () => take([...(input.files ?? [])]));
  input.click();
}

/** Opens the dialog of the system to choose files. */
export function PickButton({ children, label }: { children?: ReactNode; label?: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        className={label ? 'icon-button' : 'button primary'}
        aria-label={label}
        onClick={() => input.current?.click()}
      >
        <Upload size={18} aria-hidden /> {children}
      </button>
      <FileInput of={input} />
    </>
  );
}

export function FolderButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={FolderUp}
        label={t('Upload a folder')}
        className={styles.folderButton}
        onClick={() => input.current?.click()}
      />
      <FileInput of={input} isFolder />
    </>
  );
}

const ORPHAN = t('No photo belongs to this sidecar file.');

/** Uploads those files that a library may have. Returns their number. */
function addFiles(list: readonly File[]): number {
  const good = list.filter(isWorthSending);
  const album = uploadAlbum.get();
  const { media, sidecars, orphans } = sortSidecars(good);
  // Guests cannot send two files as one.
  const groups = isGuest() ? media.map((file) => [file]) : pairFiles(media);
  const folderOfFirst = ([file]: readonly File[]) =>
    file ? getFolder(file).replace(/^\//, '') : '';
  addItems([
    ...groups.map((files) => ({ files, sidecars, folder: folderOfFirst(files), album })),
    ...orphans.map((file) => ({ files: [file], folder: '', album: undefined, error: ORPHAN })),
  ]);
  startUploads();
  return good.length;
}
