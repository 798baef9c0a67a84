import { formatAgo } from '../../base/format.ts';
import type { RestoreDrill } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import { CountChanges } from './count-changes.tsx';
import styles from '../../parts/admin/admin.module.css';
import { t } from '../../base/i18n.ts';

/** The findings of the last restore drill, or its progress. */
export function DrillResult({ drill }: { drill: RestoreDrill }) {
  const { filename: name, status, progress = 0, endedAt, missing = 0, changes = [] } = drill;
  const isRunning = status === 'waiting' || status === 'running';
  return (
    <div className={styles.drill} role="status">
      {isRunning && (
        <>
          <p>{t('Restoring {name} beside the database …', { name })}</p>
          <Progress
            value={progress > 0 ? progress / 100 : undefined}
            label={t('Restore drill of {name}', { name })}
          />
        </>
      )}
      {status === 'failed' && (
        <p className="form-error">
          {t('{name} cannot be restored: {error}', { name, error: drill.error ?? '' })}
        </p>
      )}
      {status === 'succeeded' && (
        <>
          <p>
            {t(
              '{name} can be restored, with {count, plural, one {# account} other {# accounts}}.',
              {
                name,
                count: drill.accounts ?? 0,
              },
            )}{' '}
            {missing > 0 &&
              t(
                '{count, plural, one {# file of it is no longer there.} other {# files of it are no longer there.}}',
                { count: missing },
              )}
          </p>
          {changes.length > 0 && <p>{t('Changes:')}</p>}
          <CountChanges changes={changes} />
        </>
      )}
      {endedAt && (
        <p className="muted">{t('Restore drill: {when}', { when: formatAgo(endedAt) })}</p>
      )}
    </div>
  );
}
