import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import styles from '../../parts/admin/admin.module.css';
import { postgresUpgradeQuery, startPostgresUpgrade } from '../../data/admin/backups-data.ts';

/** Moves the database to a newer PostgreSQL; nothing where none is installed. */
export function PostgresUpgrade() {
  const { data } = useQuery(postgresUpgradeQuery());
  const [isAsked, setAsked] = useState(false);
  if (!data?.upgrade) return null;
  const { to } = data.upgrade;
  return (
    <>
      {data.failure && (
        <p className="form-error" role="status">
          {t('The last upgrade of PostgreSQL failed: {error}', { error: data.failure.error })}
        </p>
      )}
      <div className={styles.integrityActions}>
        <button className="button" onClick={() => setAsked(true)}>
          {t('Upgrade to PostgreSQL {version} …', { version: to })}
        </button>
      </div>
      {isAsked && (
        <Confirm
          isHarmless
          title={t('Upgrade to PostgreSQL {version}?', { version: to })}
          text={t(
            'The database is rebuilt for the new version and compared before it is used. The old one is kept for 7 days, and stays in use if anything fails. Nobody can use the server until it is done.',
          )}
          action={t('Start')}
          onConfirm={() => void attempt(startPostgresUpgrade)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
