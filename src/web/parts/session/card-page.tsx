import { type ReactNode, useEffect } from 'react';
import { startSession } from '../../data/session/session.ts';
import styles from './card-page.module.css';
import { t } from '../../base/i18n.ts';

export function CardPage({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Safelight`;
  }, [title]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Logo />
        <h1>{title}</h1>
        {text && <p className="muted">{text}</p>}
        {children}
      </div>
    </main>
  );
}

export const Logo = () => (
  <svg className="logo" viewBox="0 0 64 64" aria-hidden>
    <path className="logo-lamp" d="M18 28a14 14 0 0 1 28 0v9H18z" />
    <rect className="logo-lamp" x="14" y="40" width="36" height="6" rx="3" />
    <path className="logo-glow" d="M25 53h14" />
  </svg>
);

/** It tries again by itself: a server that restarts is back soon. */
const RETRY_MS = 5000;

export function UnreachablePage({ error }: { error: string }) {
  useEffect(() => {
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      void startSession().finally(() => (isBusy = false));
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <CardPage title={t('No connection')} text={error}>
      <button className="button primary" onClick={() => void startSession()}>
        {t('Try again')}
      </button>
    </CardPage>
  );
}
