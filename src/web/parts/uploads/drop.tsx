import { ImageUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { filesOfDrop } from '../../data/uploads/collect.ts';
import { FolderButton, PickButton, take } from './pick-button.tsx';
import styles from './uploads.module.css';
import { t } from '../../base/i18n.ts';

const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Files may be dropped anywhere on the page. */
export function DropZone() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Only when the pointer leaves the window, not when it enters another element.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!isFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void filesOfDrop(event.dataTransfer).then(take);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className={styles.dropZone} aria-hidden>
      <ImageUp size={56} strokeWidth={1.25} />
      <p>{t('Drop photos, videos or folders')}</p>
    </div>
  );
}

export function UploadButton({ isCompact = false }: { isCompact?: boolean }) {
  if (isCompact) return <PickButton label={t('Upload')} />;
  return (
    <div className="upload-buttons">
      <PickButton>{t('Upload')}</PickButton>
      <FolderButton />
    </div>
  );
}
