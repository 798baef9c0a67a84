import { useStore } from '../../base/store.ts';
import { keptUploads } from '../../data/uploads/kept-uploads.ts';
import styles from './uploads.module.css';
import { t } from '../../base/i18n.ts';

/** Whether the page may be closed. Empty where the browser uploads only while a page is open. */
export function KeptNote() {
  const { isSafe, unkept } = useStore(keptUploads);
  if (unkept > 0) {
    return (
      <p className={styles.uploadsSpeed}>
        {t(
          'This browser has no room to keep {count, plural, one {# file} other {# files}}. Leave this page open until all are uploaded.',
          { count: unkept },
        )}
      </p>
    );
  }
  if (!isSafe) return null;
  return (
    <p className={styles.uploadsSpeed}>
      {t('You can close this page: the rest is uploaded in the background.')}
    </p>
  );
}
