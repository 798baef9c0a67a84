import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { getPictureUrl } from '../../base/pictures.ts';
import { QrCode } from '../../parts/setup/qr-code.tsx';
import { useStore } from '../../base/store.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import type { SharedLink } from '../../data/types.ts';
import { listLatest, selectShown } from './wall-pictures.ts';
import styles from './wall.module.css';
import { t } from '../../base/i18n.ts';

const TURN_MS = 8000;

/** Fills a screen at a party: what guests add appears at once, and the code lets them in. */
export function Wall({ link, base, title }: { link: SharedLink; base: string; title: string }) {
  const timeline = getTimeline({});
  const months = useStore(timeline.state, (state) => state.months);
  const missing = months.filter((month) => !month.columns).map(({ key }) => key);
  const missingKeys = missing.join();
  useEffect(() => {
    if (missingKeys) void timeline.loadMonths(missingKeys.split(','));
  }, [timeline, missingKeys]);
  const turn = useTurns();
  useWakeLock();
  const ids = selectShown(listLatest(months), turn);
  return (
    <div className={styles.wall}>
      <h1 className="hidden-title">{title}</h1>
      {ids.length === 0 && <p className={styles.none}>{t('No photos yet')}</p>}
      <ul className={styles.pictures} aria-label={t('Latest photos')}>
        {ids.map((id) => (
          <li key={id}>
            <img src={getPictureUrl(id, 'preview')} alt="" />
          </li>
        ))}
      </ul>
      <aside className={styles.corner}>
        <QrCode text={`${location.origin}${base}`} label={t('QR code of the link')} />
        <p>
          <strong>{title}</strong>
          <br />
          {link.allowUpload ? t('Scan to add your photos') : t('Scan to see the photos')}
        </p>
      </aside>
      <Link href={base} className={`icon-button ${styles.close}`} aria-label={t('Close the wall')}>
        <X size={22} aria-hidden />
      </Link>
    </div>
  );
}

/** Returns a number that grows while the page is open. */
function useTurns(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((old) => old + 1), TURN_MS);
    return () => clearInterval(timer);
  }, []);
  return turn;
}

/** Keeps the screen on; browsers release the lock of a hidden page. */
function useWakeLock(): void {
  useEffect(() => {
    let isOver = false;
    let lock: WakeLockSentinel | undefined;
    const acquire = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      const given = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (isOver) void given?.release();
      else lock = given;
    };
    const request = () => void acquire();
    request();
    document.addEventListener('visibilitychange', request);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', request);
      void lock?.release();
    };
  }, []);
}
