import { FileArchive } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { t } from '../../base/i18n.ts';
import styles from './archives.module.css';

type Props = { label: string; onPick: (files: File[]) => void };

const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Chooses ZIP files, or takes those that are dropped anywhere on the page, which would be uploaded as photos. */
export function PickArchives({ label, onPick }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const take = useEffectEvent((files: readonly File[]) => onPick([...files]));
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const drop = (event: DragEvent) => {
      if (!isFiles(event)) return;
      over(event);
      take([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', over, true);
    window.addEventListener('drop', drop, true);
    return () => {
      window.removeEventListener('dragover', over, true);
      window.removeEventListener('drop', drop, true);
    };
  }, []);
  return (
    <div className={styles.pick}>
      <FileArchive size={32} strokeWidth={1.5} aria-hidden />
      <button className="button" type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
      <span className="muted">{t('or drop them here')}</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".zip,application/zip"
        aria-label={t('ZIP files')}
        onChange={(event) => {
          onPick([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
