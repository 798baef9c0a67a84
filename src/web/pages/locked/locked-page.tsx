import { LockKeyhole } from 'lucide-react';
import { useEffect } from 'react';
import { forgetTimeline, getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { attempt, showToast } from '../../ui/toast.tsx';
import { Empty } from '../../ui/elements.tsx';
import { msSinceUserInput } from '../../base/user-input.ts';
import { PinForm } from '../../parts/locked/pin-form.tsx';
import { fetchPinStatus, LOCKED, lockSession, usePinStatus } from '../../data/locked/pin.ts';
import styles from '../../parts/locked/locked.module.css';
import { t } from '../../base/i18n.ts';

/** After so long without input the session is locked again. */
const IDLE_MS = 5 * 60_000;
const CHECK_MS = 30_000;

export function LockedPage({ photoId }: { photoId: string | undefined }) {
  const { data: status, error } = usePinStatus();
  const isOpen = status?.isElevated === true;
  useEffect(() => {
    if (!isOpen) forgetTimeline(LOCKED);
  }, [isOpen]);
  if (!status) return error && <p role="alert">{error.message}</p>;
  if (isOpen) return <Open photoId={photoId} />;
  return (
    <div className="page">
      <h1 className="hidden-title">{t('Locked')}</h1>
      <div className={styles.gate}>
        <LockKeyhole size={44} strokeWidth={1.25} aria-hidden />
        <h2>{t('Locked photos')}</h2>
        <p className="muted">
          {status.pinCode
            ? t('Enter your PIN to see them on this device.')
            : t('Photos in here are hidden everywhere until you enter your PIN.')}
        </p>
        <PinForm />
      </div>
    </div>
  );
}

function Open({ photoId }: { photoId: string | undefined }) {
  useRelock();
  return (
    <TimelineView
      timeline={getTimeline(LOCKED)}
      title={t('Locked')}
      base="/locked"
      photoId={photoId}
      head={
        <header className="view-head">
          <h2>{t('Locked')}</h2>
          <p className="muted">{t('Visible only here, and only while unlocked.')}</p>
          <div className="view-actions">
            <button className="button" onClick={() => void attempt(lockSession)}>
              <LockKeyhole size={18} aria-hidden /> {t('Lock now')}
            </button>
          </div>
        </header>
      }
      empty={
        <Empty
          icon={LockKeyhole}
          title={t('Nothing is locked')}
          text={t('Lock photos anywhere, and they appear here.')}
        />
      }
    />
  );
}

/** Closes when nobody is there, and notices when the server has closed. */
function useRelock(): void {
  useEffect(() => {
    const check = async () => {
      if (msSinceUserInput() > IDLE_MS) {
        await lockSession();
        showToast(t('Locked again after inactivity.'));
      } else await fetchPinStatus();
    };
    const timer = setInterval(() => void check().catch(() => undefined), CHECK_MS);
    return () => clearInterval(timer);
  }, []);
}
