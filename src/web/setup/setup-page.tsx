import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { Logo } from '../session/card-page.tsx';
import { finishSetup, SETUP } from '../session/session.ts';
import { attempt } from '../toast.tsx';
import type { Me } from '../types.ts';
import { BackupsStep } from './backups-step.tsx';
import { FolderStep } from './folder-step.tsx';
import { LanguageStep } from './language-step.tsx';
import { MailStep } from './mail-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { findNeighbour, findStep, type StepId, STEPS } from './steps.ts';
import styles from './setup.module.css';
import { t } from '../i18n.ts';

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
          {t('Do the rest later')}
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
