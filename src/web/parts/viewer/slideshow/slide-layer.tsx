import { type CSSProperties, useEffect, useRef } from 'react';
import { playbackUrl } from '../../../base/pictures.ts';
import { thumbnailUrl } from '../../grid/tile.tsx';
import type { PhotoItem } from '../../../data/viewer/photo-window.ts';
import type { SlideshowSettings } from './settings.ts';
import { getSlideUrl } from './use-show.ts';
import styles from './slideshow.module.css';

type Props = {
  item: PhotoItem;
  isCurrent: boolean;
  isPaused: boolean;
  settings: SlideshowSettings;
  /** The video is over, or cannot be played. */
  onEnded: () => void;
};

/** A photo or video of a slideshow, which comes over the one before it. */
export function SlideLayer({ item, isCurrent, isPaused, settings, onEnded }: Props) {
  const { id, hash, isImage } = item;
  return (
    <div className={styles.layer} data-current={isCurrent || undefined} data-id={id}>
      {isImage ? (
        <>
          {hash && <img className={styles.behind} src={thumbnailUrl(id, hash)} alt="" />}
          <img
            className={settings.hasMotion ? `${styles.picture} ${styles.moving}` : styles.picture}
            style={toMotionStyle(id, settings.seconds, isPaused)}
            src={getSlideUrl(item)}
            alt=""
            draggable={false}
          />
        </>
      ) : (
        <Film id={id} isPlaying={isCurrent && !isPaused} onEnded={onEnded} />
      )}
    </div>
  );
}

type FilmProps = { id: string; isPlaying: boolean; onEnded: () => void };

function Film({ id, isPlaying, onEnded }: FilmProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (!isPlaying) return element.pause();
    element.play().catch(() => {
      // Sound is refused to a page that nobody has touched yet.
      element.muted = true;
      void element.play().catch(() => undefined);
    });
  }, [isPlaying]);
  return (
    <video
      ref={video}
      className={styles.picture}
      src={playbackUrl(id)}
      playsInline
      onEnded={onEnded}
      onError={onEnded}
    />
  );
}

/** Returns the way of a slow zoom: it begins anywhere, and is over when the next photo has come. */
function toMotionStyle(id: string, seconds: number, isPaused: boolean): CSSProperties {
  const digit = (at: number) => Number.parseInt(id[at] ?? '0', 16) / 15;
  return {
    transformOrigin: `${20 + digit(0) * 60}% ${20 + digit(1) * 60}%`,
    animationDuration: `${seconds + 2}s`,
    animationPlayState: isPaused ? 'paused' : 'running',
    ...(digit(2) > 0.5 && { animationDirection: 'reverse' }),
  };
}
