import { useQuery } from '@tanstack/react-query';
import { Download, RotateCcw, ShieldCheck, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { toUrl } from '../../base/api.ts';
import { formatAgo, formatBytes, formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { aboutQuery } from '../../data/settings/queries.ts';
import { attempt } from '../../ui/toast.tsx';
import type { DatabaseBackup, ServerAbout } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Failure, IconButton, Page } from '../../ui/elements.tsx';
import { PostgresUpgrade } from './postgres-upgrade.tsx';
import { BackupSchedule } from '../../parts/admin/backup-schedule.tsx';
import { DrillResult } from './restore-drill.tsx';
import styles from '../../parts/admin/admin.module.css';
import {
  backupStateQuery,
  databaseBackupsQuery,
  deleteBackup,
  parseBackupTime,
  startBackup,
  startDrill,
  startMaintenance,
  uploadBackup,
} from '../../data/admin/backups-data.ts';

/** The version of this server, and the backups of its database. */
export function BackupsPage() {
  const { data, error, refetch } = useQuery(databaseBackupsQuery());
  return (
    <Page title={t('Updates & backups')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Backups backups={data.backups} />}
      <section className={`card ${styles.integrity}`} aria-label={t('Schedule')}>
        <h2>{t('Schedule')}</h2>
        <BackupSchedule />
      </section>
      <Updates />
      <MaintenanceMode />
    </Page>
  );
}

const describeVersions = ({ build, postgres }: ServerAbout): string =>
  `Safelight ${build?.replace(/^\D+/, '') ?? ''} · PostgreSQL ${postgres ?? ''}`;

function Updates() {
  const { data: about } = useQuery(aboutQuery());
  return (
    <section className={`card ${styles.integrity}`} aria-label={t('Updates')}>
      <h2>{t('Updates')}</h2>
      {/* The line is there from the start: what is below would move away from a click. */}
      <p>{about ? describeVersions(about) : '\u00a0'}</p>
      <p className="muted">
        {t(
          'A new version backs the database up before it changes it. That backup is in the list above, and is the way back.',
        )}
      </p>
      <PostgresUpgrade />
    </section>
  );
}

/** The last of the page: it shuts everybody out. */
function MaintenanceMode() {
  const [isAsked, setAsked] = useState(false);
  return (
    <section className={`card ${styles.integrity}`} aria-label={t('Maintenance mode')}>
      <h2>{t('Maintenance mode')}</h2>
      <p className="muted">
        {t('While it lasts, the server only restores backups and shows its log.')}
      </p>
      <div className={styles.integrityActions}>
        <button className="button" onClick={() => setAsked(true)}>
          {t('Start maintenance mode')}
        </button>
      </div>
      {isAsked && (
        <Confirm
          isHarmless
          title={t('Start maintenance mode?')}
          text={t('Nobody can use the server until you end it. Uploads continue afterwards.')}
          action={t('Start')}
          onConfirm={() => void attempt(() => startMaintenance())}
          onClose={() => setAsked(false)}
        />
      )}
    </section>
  );
}

function Backups({ backups }: { backups: readonly DatabaseBackup[] }) {
  const { data: state } = useQuery(backupStateQuery());
  const input = useRef<HTMLInputElement>(null);
  const newest = backups[0]?.filename;
  const last = backups.map(({ filename }) => parseBackupTime(filename)).find(Boolean);
  return (
    <section className={`card ${styles.integrity}`} aria-label={t('Backups of the database')}>
      <h2>{t('Backups of the database')}</h2>
      <p className="muted">
        {t('They hold accounts, albums and everything else but the photos and videos themselves.')}
      </p>
      <p role="status">
        {last ? t('Last backup: {when}', { when: formatAgo(last) }) : t('There is no backup yet')}
        {state?.nextBackupAt &&
          ` · ${t('Next backup: {when}', { when: formatInstant(state.nextBackupAt) })}`}
      </p>
      <div className={styles.integrityActions}>
        <button className="button" onClick={() => void attempt(startBackup, t('Started'))}>
          {t('Back up now')}
        </button>
        <button className="button" onClick={() => input.current?.click()}>
          {t('Upload a backup')}
        </button>
        <input
          ref={input}
          type="file"
          accept=".dump,.sql,.gz"
          aria-label={t('Upload a backup')}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file) void attempt(() => uploadBackup(file), t('Uploaded'));
            target.value = '';
          }}
          hidden
        />
        {newest && (
          <button
            className="button"
            onClick={() => void attempt(() => startDrill(newest), t('Started'))}
          >
            {t('Restore drill')}
          </button>
        )}
      </div>
      {newest && (
        <p className="muted">
          {t(
            'A restore drill proves a backup: it restores it beside the database and compares both.',
          )}
        </p>
      )}
      {state?.restoreDrill && <DrillResult drill={state.restoreDrill} />}
      <ul aria-label={t('Backups of the database')} className={styles.integrityList}>
        {backups.map((backup) => (
          <li key={backup.filename}>
            <Backup backup={backup} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Backup({ backup: { filename: name, filesize } }: { backup: DatabaseBackup }) {
  const [question, ask] = useState<'delete' | 'restore'>();
  const time = parseBackupTime(name);
  return (
    <>
      <div className={styles.backup}>
        {time && <span>{formatInstant(time)}</span>}
        <small>
          <code>{name}</code> · {formatBytes(filesize)}
        </small>
      </div>
      <IconButton
        icon={ShieldCheck}
        label={t('Restore drill of {name}', { name })}
        onClick={() => void attempt(() => startDrill(name), t('Started'))}
      />
      <IconButton
        icon={RotateCcw}
        label={t('Restore {name}', { name })}
        onClick={() => ask('restore')}
      />
      <a
        className="icon-button"
        href={toUrl(`/admin/database-backups/${encodeURIComponent(name)}`)}
        aria-label={t('Download {name}', { name })}
        download
      >
        <Download size={20} aria-hidden />
      </a>
      <IconButton
        icon={Trash2}
        label={t('Delete {name}', { name })}
        onClick={() => ask('delete')}
      />
      {question === 'restore' && (
        <Confirm
          title={t('Restore {name}?', { name })}
          text={t(
            'The whole database goes back to this backup. The present one is kept for 7 days. Nobody can use the server until it is done.',
          )}
          action={t('Restore')}
          onConfirm={() => void attempt(() => startMaintenance(name))}
          onClose={() => ask(undefined)}
        />
      )}
      {question === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name })}
          text={t('The backup cannot be brought back.')}
          action={t('Delete')}
          onConfirm={() => void attempt(() => deleteBackup(name), t('Deleted'))}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
