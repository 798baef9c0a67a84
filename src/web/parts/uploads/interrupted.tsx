import { TriangleAlert } from 'lucide-react';
import { formatBytes } from '../../base/format.ts';
import { useStore } from '../../base/store.ts';
import { cornerUploads } from '../../ui/corner.ts';
import { interrupted } from '../../data/uploads/interrupted-uploads.ts';
import { PickButton } from './pick-button.tsx';
import { giveUpInterrupted } from '../../data/uploads/resumable.ts';
import styles from './uploads.module.css';
import { t } from '../../base/i18n.ts';

const MOST_SHOWN = 5;

/** Uploads of a tab that is closed. A browser opens their files only when a person chooses them again. */
export function Interrupted({ isAlone = false }: { isAlone?: boolean }) {
  const list = useStore(interrupted);
  return (
    <section
      ref={isAlone ? cornerUploads : undefined}
      className={`${styles.uploads} ${styles.uploadsLeft}`}
      aria-label={t('Interrupted uploads')}
    >
      <p role="status">
        <TriangleAlert size={18} aria-hidden />
        <strong>
          {t('{count, plural, one {# upload} other {# uploads}} interrupted', {
            count: list.length,
          })}
        </strong>
      </p>
      <ul>
        {list.slice(0, MOST_SHOWN).map(({ id, name, size }) => (
          <li key={id}>
            <span className={styles.uploadName}>{name}</span> <small>{formatBytes(size)}</small>
          </li>
        ))}
        {list.length > MOST_SHOWN && (
          <li className="muted">{t('and {count} more', { count: list.length - MOST_SHOWN })}</li>
        )}
      </ul>
      <p className="muted">
        {t(
          'Choose the same files again, or drop them here: they continue where they stopped. After a day they start over.',
        )}
      </p>
      <div className="card-actions">
        <PickButton>{t('Choose the files')}</PickButton>
        <button
          className="button"
          onClick={() => {
            for (const upload of list) void giveUpInterrupted(upload);
          }}
        >
          {t('Discard')}
        </button>
      </div>
    </section>
  );
}
