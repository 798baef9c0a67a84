import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { Logo } from '../../parts/session/card-page.tsx';
import { finishSetup, SETUP } from '../../data/session/session.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Me } from '../../data/types.ts';
import { FolderStep } from './folder-step.tsx';
import { MailStep } from './mail-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { findNeighbour, findStep, type StepId, STEPS } from './steps.ts';
import styles from '../../parts/setup/setup.module.css';
import { t } from '../../base/i18n.ts';
import { LanguageSelect } from '../../parts/settings/language-select.tsx';
import { StepHead } from './step-head.tsx';
import { BackupSchedule } from '../../parts/admin/backup-schedule.tsx';

// A command is the same in every language.
const COMMAND = 'safelight maintenance backup --to /mnt/backup';

const BackupsStep = () => (
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

const LanguageStep = () => (
  <>
    <StepHead
      title={t('Welcome to Safelight')}
      text={t('A few steps set up this server. Each can be skipped, and done later from Setup.')}
    />
    <section className="card">
      <h2 id="language">{t('Language')}</h2>
      <LanguageSelect labelledBy="language" />
    </section>
  </>
);

/** Leads the administrator of a new server through what it can be told; each step may be skipped. */
export function SetupPage({ me, step }: { me: Me; step: string | undefined }) {
  const id = findStep(step);
  useEffect(() => {
    document.title = `${t('Setup')} · Safelight`;
  }, []);
  return (
    <div className={styles.setup}>
      <header className={styles.head}>
        <Logo />
        <nav aria-label={t('Setup')}>
          <ol>
            {STEPS.map((one) => (
              <li key={one.id}>
                <Link href={`${SETUP}/${one.id}`} aria-current={one.id === id ? 'step' : undefined}>
                  {one.label}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      </header>
      <main className={styles.step}>
        <Step key={id} id={id} me={me} />
        <Actions id={id} />
      </main>
    </div>
  );
}

function Step({ id, me }: { id: StepId; me: Me }) {
  switch (id) {
    case 'language':
      return <LanguageStep />;
    case 'folder':
      return <FolderStep me={me} />;
    case 'phone':
      return <PhoneStep />;
    case 'mail':
      return <MailStep />;
    case 'backups':
      return <BackupsStep />;
  }
}

function Actions({ id }: { id: StepId }) {
  const [, navigate] = useLocation();
  const [previous, next] = [findNeighbour(id, -1), findNeighbour(id, 1)];
  const finish = () =>
    void attempt(async () => {
      await finishSetup();
      navigate('/photos');
    });
  return (
    <footer className={styles.actions}>
      {next && (
        <button className="button" onClick={finish}>
          {t('Skip')}
        </button>
      )}
      <span className={styles.space} />
      {previous && (
        <Link className="button" href={`${SETUP}/${previous}`}>
          {t('Back')}
        </Link>
      )}
      {next ? (
        <Link className="button primary" href={`${SETUP}/${next}`}>
          {t('Next')}
        </Link>
      ) : (
        <button className="button primary" onClick={finish}>
          {t('Go to the photos')}
        </button>
      )}
    </footer>
  );
}
