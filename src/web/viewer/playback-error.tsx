import { useEffect, useRef, useState } from 'react';
import { t } from '../i18n.ts';
import styles from './viewer.module.css';

/** Says so when the video or sound of its slide cannot be played: a damaged file, or a format of other programs. */
export function PlaybackError() {
  const host = useRef<HTMLParagraphElement>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const slide = host.current?.closest('.yarl__slide');
    const fail = ({ target }: Event) => {
      if (target instanceof HTMLMediaElement || target instanceof HTMLSourceElement)
        setFailed(true);
    };
    // Errors of media do not bubble.
    slide?.addEventListener('error', fail, true);
    return () => slide?.removeEventListener('error', fail, true);
  }, []);
  return (
    <p ref={host} role="status" className={styles.playbackError}>
      {hasFailed && t('This file cannot be played here.')}
    </p>
  );
}
