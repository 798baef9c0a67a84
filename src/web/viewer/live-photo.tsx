import { CircleDot } from 'lucide-react';
import { useRef, useState } from 'react';
import { playbackUrl } from '../pictures.ts';
import styles from './live.module.css';
import { t } from '../i18n.ts';

/** The moving part of a live photo: plays while one hovers over the badge, or after a press. */
export function LivePhoto({ videoId }: { videoId: string }) {
  const video = useRef<HTMLVideoElement>(null);
  const [isOn, setOn] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const start = () => {
    setOn(true);
    const element = video.current;
    if (!element) return;
    element.currentTime = 0;
    // Refused without a touch of the page before: then it is the press that plays.
    void element.play().catch(() => setOn(false));
  };
  const stop = () => {
    setOn(false);
    setPlaying(false);
    video.current?.pause();
  };
  return (
    <>
      <video
        ref={video}
        className={isPlaying ? `${styles.liveVideo} ${styles.on}` : styles.liveVideo}
        src={isOn ? playbackUrl(videoId) : undefined}
        autoPlay
        playsInline
        muted
        onPlaying={() => setPlaying(true)}
        onEnded={stop}
        onError={stop}
      />
      <button
        className={styles.liveButton}
        aria-pressed={isOn}
        onPointerEnter={(event) => event.pointerType === 'mouse' && start()}
        onPointerLeave={(event) => event.pointerType === 'mouse' && stop()}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={() => (isOn ? stop() : start())}
      >
        <CircleDot size={15} aria-hidden /> {t('Live')}
      </button>
    </>
  );
}
