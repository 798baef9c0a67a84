import { CircleDot } from 'lucide-react';
import { type PointerEvent, useRef, useState } from 'react';
import { playbackUrl } from '../../base/pictures.ts';
import { useStore } from '../../base/store.ts';
import { viewerPreferences } from './preferences.ts';
import styles from './viewer.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  videoId: string;
  /** Whether it is the shown slide when it is mounted: then it may play by itself. */
  isCurrent: boolean;
};

/** The moving part of a live photo: plays by itself, under the pointer, or only after a press. */
export function LivePhoto({ videoId, isCurrent }: Props) {
  const mode = useStore(viewerPreferences, ({ livePhotos }) => livePhotos);
  const video = useRef<HTMLVideoElement>(null);
  const [isOn, setOn] = useState(isCurrent && mode === 'auto');
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
  const isByHover = ({ pointerType }: PointerEvent) => mode === 'hover' && pointerType === 'mouse';
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
        onPointerEnter={(event) => isByHover(event) && start()}
        onPointerLeave={(event) => isByHover(event) && stop()}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={() => (isOn ? stop() : start())}
      >
        <CircleDot size={15} aria-hidden /> {t('Live')}
      </button>
    </>
  );
}
