import { BackupSchedule } from '../admin/backup-schedule.tsx';
import { StepHead } from './step-head.tsx';
import { t } from '../i18n.ts';

// A command is the same in every language.
const COMMAND = 'safelight maintenance backup --to /mnt/backup';

export const BackupsStep = () => (
  <>
    <StepHead
      title={t('Keep backups')}
      text={t(
        'The database is backed up into the folder “backups” of the data folder: accounts, albums and everything else but the photos and videos themselves.',
      )}
    />
    <section className="card" aria-labelledby="schedule">
      <h2 id="schedule">{t('Schedule')}</h2>
      <BackupSchedule />
    </section>
    <section className="card" aria-labelledby="disk">
      <h2 id="disk">{t('On another disk')}</h2>
      <p className="muted">
        {t('This command copies photos, videos and the database, and each time only what is new:')}
      </p>
      <code>{COMMAND}</code>
    </section>
  </>
);
